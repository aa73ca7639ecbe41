import { readConfig } from '../engine/runtime/config.ts';
import { createReleaser } from '../engine/runtime/lifecycle.ts';
import { createLog } from '../engine/runtime/log.ts';
import { stopOnSignals } from '../engine/runtime/stop-on-signals.ts';
import type { CommitStore } from '../engine/store/actor/commit-store.ts';
import { startGateway } from '../gateway/start-gateway.ts';

/**
 * The gateway with the commit left out: what everything else costs, and so what no store could let it exceed. Its
 * groups are gathered and encoded as ever and then dropped; records are fetched from Postgres as ever, but nothing
 * new is ever there, so that customers are matched in memory alone. For benches only: it loses all it acknowledges.
 */
function withoutCommit(store: CommitStore): CommitStore {
  return {
    commit: () => new Promise((resolve) => setImmediate(resolve)),
    stop: () => store.stop(),
  };
}

const config = readConfig();
const log = createLog('ceiling', config.logLevel);
const releaser = createReleaser((name, error) => log.error({ err: error }, `${name} did not stop well`));
stopOnSignals(releaser, log);
await startGateway({ config, log, releaser, wrapCommitStore: withoutCommit });

import { readConfig } from '../engine/runtime/config.ts';
import { createReleaser } from '../engine/runtime/lifecycle.ts';
import { createLog } from '../engine/runtime/log.ts';
import { stopOnSignals } from '../engine/runtime/stop-on-signals.ts';
import type { CommitStore } from '../engine/store/actor/commit-store.ts';
import { startGateway } from '../gateway/start-gateway.ts';

/**
 * The gateway without commits: the cost of everything else, and so the limit for any store. It gathers and encodes
 * groups as usual and then drops them. It fetches records from Postgres as usual, but no new record is ever there, so
 * customers are matched in memory alone. For benches only: it loses everything that it acknowledges.
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

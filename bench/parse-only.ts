import { readConfig } from '../engine/runtime/config.ts';
import { createReleaser } from '../engine/runtime/lifecycle.ts';
import { createLog } from '../engine/runtime/log.ts';
import { stopOnSignals } from '../engine/runtime/stop-on-signals.ts';
import { startGateway } from '../gateway/start-gateway.ts';

/**
 * The gateway up to the point where positions are applied: guards, body, JSON, the check of every field. Then it
 * answers that it accepted them, and forgets them. For benches only.
 */
const config = readConfig();
const log = createLog('parse-only', config.logLevel);
const releaser = createReleaser((name, error) => log.error({ err: error }, `${name} did not stop well`));
stopOnSignals(releaser, log);
const { engine } = await startGateway({ config, log, releaser });
engine.positions.takeMany = (_organizationId, points) => ({ accepted: points.length, stale: 0, rejected: 0 });

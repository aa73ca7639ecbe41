import { type Config, ConfigError, readConfig } from '../engine/runtime/config.ts';
import { createReleaser } from '../engine/runtime/lifecycle.ts';
import { createLog } from '../engine/runtime/log.ts';
import { stopOnSignals } from '../engine/runtime/stop-on-signals.ts';
import { startGateway } from './start-gateway.ts';

const config = configOrExit();
const log = createLog('gateway', config.logLevel);
const releaser = createReleaser((name, error) => log.error({ err: error }, `${name} did not stop well`));
const stop = stopOnSignals(releaser, log);
try {
  const onSuperseded = () => stop('superseded', 1);
  const { port } = await startGateway({ config, log, releaser, onSuperseded });
  log.info({ host: config.host, port }, 'listening');
} catch (error) {
  if (error instanceof ConfigError) log.fatal(error.message);
  else log.fatal({ err: error }, 'the gateway could not start');
  await releaser.stop().catch(() => {});
  process.exit(1);
}

function configOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    createLog('gateway', 'info').fatal((error as Error).message);
    process.exit(1);
  }
}

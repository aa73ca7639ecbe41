import { type Config, ConfigError, readConfig } from '../engine/runtime/config.ts';
import { createReleaser } from '../engine/runtime/lifecycle.ts';
import { createLog } from '../engine/runtime/log.ts';
import { yieldCpuOfProcess } from '../engine/runtime/priority.ts';
import { stopOnSignals } from '../engine/runtime/stop-on-signals.ts';
import { LIMITS } from '../schema/limits.ts';
import { startWorkers } from './start-workers.ts';

yieldCpuOfProcess(LIMITS.workersNiceness);
const config = configOrExit();
const log = createLog('workers', config.logLevel);
const releaser = createReleaser((name, error) => log.error({ err: error }, `${name} did not stop well`));
const stop = stopOnSignals(releaser, log);
try {
  const onOtherHistory = () => stop('another history', 1);
  await startWorkers({ config, log, releaser, onOtherHistory });
} catch (error) {
  if (error instanceof ConfigError) log.fatal(error.message);
  else log.fatal({ err: error }, 'the workers could not start');
  await releaser.stop().catch(() => {});
  process.exit(1);
}

function configOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    createLog('workers', 'info').fatal((error as Error).message);
    process.exit(1);
  }
}

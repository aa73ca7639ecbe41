import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readConfig } from '../../engine/runtime/config.ts';
import { createReleaser } from '../../engine/runtime/lifecycle.ts';
import { createLog } from '../../engine/runtime/log.ts';
import { stopOnSignals } from '../../engine/runtime/stop-on-signals.ts';
import { startGateway } from '../../gateway/start-gateway.ts';

/**
 * The gateway, which on SIGUSR2 collects its garbage and writes the bytes of heap and of buffers that are left into the
 * file WEIGHT_FILE.
 */
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  // The second time frees what the finalizers of the first one released.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(process.env['WEIGHT_FILE']!, `${heapUsed} ${external}`);
});

const config = readConfig();
const log = createLog('weighed', config.logLevel);
const releaser = createReleaser((name, error) => log.error({ err: error }, `${name} did not stop well`));
stopOnSignals(releaser, log);
await startGateway({ config, log, releaser });

import { LaunchError } from '../engine/launcher/processes/launch-error.ts';
import { readConfig } from '../engine/runtime/config.ts';
import { DispatchError } from '../gateway/client/dispatch-error.ts';
import { runSimulation } from './simulate/run-simulation.ts';
import { parseSimulateOptions } from './simulate/simulate-options.ts';
import { HelpRequest, UsageError } from './stand/run-to-end.ts';

/** `npm run simulate`: a fleet at work, on a running instance. Exits 1 when a request failed, 0 otherwise. */

const INTERRUPTED = 130;
/** npm passes on the signal of a Ctrl-C that has reached us already: only a later one is a second one. */
const SAME_SIGNAL_MS = 1_000;

const interruption = new AbortController();
let firstAt: number | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (firstAt !== undefined && performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(INTERRUPTED);
    firstAt ??= performance.now();
    interruption.abort();
  });
}

try {
  const { dataDir, databaseUrl } = readConfig();
  const options = parseSimulateOptions(process.argv.slice(2), dataDir);
  process.exitCode = await runSimulation(options, databaseUrl, interruption.signal);
} catch (error) {
  const isPlain = error instanceof UsageError || error instanceof LaunchError || error instanceof DispatchError;
  const { message, stack = message } = error as Error;
  const isHelp = error instanceof HelpRequest;
  if (isHelp) process.stdout.write(`${message}\n`);
  else process.stderr.write(`${isPlain ? message : stack}\n`);
  process.exitCode = isHelp ? 0 : 1;
}
process.exit();

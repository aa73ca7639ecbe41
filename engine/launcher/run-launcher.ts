import { ConfigError } from '../runtime/config.ts';
import { greet } from './greeting.ts';
import { createLocalInstance, type LocalParts } from './local-instance.ts';
import { LaunchError } from './processes/launch-error.ts';
import { createMergedLog } from './processes/merged-log.ts';

/** npm and tsx pass on the signal of a Ctrl-C that has reached us already: only a later one is a second one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_POLL_MS = 500;
const OPTIONS = ['--demo', '--renew-history'];
const USAGE = `Usage: npm start [-- [--demo] [--renew-history]]

  --demo             fills the demo organization with a fleet on the move, as npm run simulate does
  --renew-history    after a copy of DATA_DIR was put back: streams do not resume from before`;

/**
 * Runs a local instance until a signal or a failure ends it, then exits: 0 when it was asked to stop,
 * 1 when something failed. A second signal ends everything at once.
 */
export function runLauncher(parts: LocalParts, environment = process.env): void {
  const options = process.argv.slice(2);
  if (options.some((option, index) => !OPTIONS.includes(option) || options.indexOf(option) !== index)) {
    console.error(USAGE);
    process.exit(1);
  }
  const output = process.stdout;
  const log = createMergedLog((text) => output.write(text), { colors: output.isTTY === true });
  const instance = createLocalInstance({
    environment,
    withFleet: options.includes('--demo'),
    renewsHistory: options.includes('--renew-history'),
    parts,
    log,
    onGivenUp(message) {
      log.say(`${message}: giving up`);
      void finish(1);
    },
  });
  let finishingSince: number | undefined;

  async function finish(code: number): Promise<void> {
    if (finishingSince !== undefined) return;
    finishingSince = performance.now();
    let exitCode = code;
    await instance.stop().catch(() => {
      exitCode = 1;
    });
    log.say('everything is stopped');
    process.exit(exitCode);
  }

  function onSignal(signal: string): void {
    if (finishingSince === undefined) {
      log.say(`${signal}: stopping everything`);
      void finish(0);
    } else if (performance.now() - finishingSince > SAME_SIGNAL_MS) {
      log.say(`${signal} again: ending everything at once`);
      instance.kill();
      process.exit(1);
    }
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  if (environment['npm_lifecycle_event']) onOrphaned(() => onSignal('npm is gone'));
  // The reader of the log is gone (`npm start | head`).
  output.on('error', () => void finish(0));

  instance.start().then(
    (started) => {
      if (finishingSince === undefined) output.write(greet(started));
    },
    (error: Error) => {
      if (finishingSince !== undefined) return;
      console.error(error instanceof LaunchError || error instanceof ConfigError ? `\n${error.message}\n` : error);
      void finish(1);
    },
  );
}

/** npm killed outright passes nothing on, and would leave an invisible launcher behind. */
function onOrphaned(act: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, PARENT_POLL_MS);
  timer.unref();
}

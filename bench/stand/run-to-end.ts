import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from '../../engine/launcher/processes/launch-error.ts';
import { ConfigError } from '../../engine/runtime/config.ts';
import { createReleaser, type Releaser } from '../../engine/runtime/lifecycle.ts';

/** The operator's input cannot be used; shown as its message alone. */
export class UsageError extends Error {}

/** The operator asked for the usage: the message, and no failure. */
export class HelpRequest extends Error {}

const INTERRUPTED = 130;
/** npm and tsx pass on the signal of a Ctrl-C that has reached us already: only a later one is a second one. */
const SAME_SIGNAL_MS = 1_000;
/** The time that an interrupted run may take to stop its work. */
const LET_GO_MS = 10_000;

/**
 * Runs a program that starts processes and folders, and leaves none of them behind, whether it ends, fails or is
 * interrupted. Everything that `main` waits for must end soon after `signal` is aborted. Exits with its code.
 */
export async function runToEnd(main: (releaser: Releaser, signal: AbortSignal) => Promise<number>): Promise<never> {
  const interruption = new AbortController();
  const releaser = createReleaser((name, error) => console.error(`${name} did not stop well: ${textOf(error)}`));
  const givenUp = givenUpAfterSignal(interruption);
  const finished = main(releaser, interruption.signal).catch((error) => {
    if (error instanceof HelpRequest) {
      console.log(error.message);
      return 0;
    }
    if (!interruption.signal.aborted) console.error(textOf(error));
    return 1;
  });
  let code = await Promise.race([finished, givenUp]);
  if (interruption.signal.aborted) code = INTERRUPTED;
  await releaser.stop().catch(() => {
    code ||= 1;
  });
  process.exit(code);
}

function givenUpAfterSignal(interruption: AbortController): Promise<number> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = async () => {
      if (firstAt !== undefined) {
        if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(INTERRUPTED);
        return;
      }
      firstAt = performance.now();
      interruption.abort();
      await delay(LET_GO_MS, undefined, { ref: false });
      resolve(INTERRUPTED);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}

function textOf(error: unknown): string {
  const isPlain = error instanceof UsageError || error instanceof ConfigError || error instanceof LaunchError;
  return error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : String(error);
}

import type { Releaser } from './lifecycle.ts';
import type { Log } from './log.ts';

const HANGUP = 'SIGHUP';

/**
 * Stops the process in order on SIGTERM, SIGINT, SIGHUP, or when the parent that holds its IPC channel is gone; at once
 * on a second signal. SIGHUP does not count there: some managers of services send it along with SIGTERM. The returned
 * function stops it for another reason. An uncaught error is logged and ends the process, with everything durable in
 * Postgres.
 */
export function stopOnSignals(releaser: Releaser, log: Log): (why: string, exitCode?: number) => void {
  let stopping: string | undefined;
  const stop = (why: string, exitCode = 0) => {
    const begun = stopping;
    stopping = why;
    if (begun === HANGUP) return;
    if (begun !== undefined) process.exit(1);
    log.info({ why }, 'stopping');
    releaser.stop().then(
      () => process.exit(exitCode),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on(HANGUP, () => {
    if (stopping === undefined) stop(HANGUP);
  });
  process.on('disconnect', () => stop('the launcher is gone'));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, event);
      process.exit(1);
    });
  }
  return stop;
}

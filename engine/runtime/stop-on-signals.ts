import type { Releaser } from './lifecycle.ts';
import type { Log } from './log.ts';

/**
 * Stops the process in order on SIGTERM, SIGINT, SIGHUP, or when the parent that holds its IPC channel is gone; at once
 * on a second signal. SIGHUP does not count there: some managers of services send it along with SIGTERM. The returned
 * function stops it for another reason; it does nothing when a stop has begun. An uncaught error is logged and ends the
 * process, with everything durable in Postgres.
 */
export function stopOnSignals(releaser: Releaser, log: Log): (why: string, exitCode?: number) => void {
  let isStopping = false;
  let isSignalled = false;
  const stop = (why: string, exitCode = 0) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ why }, 'stopping');
    releaser.stop().then(
      () => process.exit(exitCode),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isSignalled) process.exit(1);
      isSignalled = true;
      stop(signal);
    });
  }
  process.on('SIGHUP', () => stop('SIGHUP'));
  process.on('disconnect', () => stop('the launcher is gone'));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, event);
      process.exit(1);
    });
  }
  return stop;
}

import type { Releaser } from './lifecycle.ts';
import type { Log } from './log.ts';

/**
 * Stops the process in order on SIGTERM, SIGINT, or when the parent that holds its IPC channel is gone; at once on a
 * second signal. The returned function stops it for another reason. An uncaught error is logged and ends the process,
 * with everything durable in Postgres.
 */
export function stopOnSignals(releaser: Releaser, log: Log): (why: string, exitCode?: number) => void {
  let stopping = false;
  const stop = (why: string, exitCode = 0) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ why }, 'stopping');
    releaser.stop().then(
      () => process.exit(exitCode),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('disconnect', () => stop('the launcher is gone'));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, event);
      process.exit(1);
    });
  }
  return stop;
}

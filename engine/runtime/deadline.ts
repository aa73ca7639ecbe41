/** Our own patience ran out; the outcome of the work is unknown. */
export class DeadlineError extends Error {}

/** Rejects with DeadlineError after `deadlineMs`. The work itself goes on; its late failure is ignored. */
export async function withDeadline<T>(work: Promise<T>, deadlineMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new DeadlineError(`${what} took longer than ${deadlineMs} ms`));
    // A process that was stopped finds its timers due and its answers waiting: it looks at the answers first.
    timer = setTimeout(() => setImmediate(giveUp), deadlineMs);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

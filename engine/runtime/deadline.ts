/** Our own patience ran out; what became of the work is not known. */
export class DeadlineError extends Error {}

/** Rejects with DeadlineError after `deadlineMs`. The work itself goes on; its late failure concerns nobody. */
export async function withDeadline<T>(work: Promise<T>, deadlineMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`${what} took longer than ${deadlineMs} ms`)), deadlineMs);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

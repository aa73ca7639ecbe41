import { PATIENCE_MS } from './until.ts';

/**
 * For what holds for a while only. An attempt that took longer than that has found nothing out, whether it failed or not, and is
 * made again; the first one in time is what it comes to. It has to set up anew what it looks at.
 */
export async function within<T>(ms: number, attempt: () => Promise<T>): Promise<T> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; ; ) {
    const startedAt = performance.now();
    const isLate = () => performance.now() - startedAt >= ms;
    try {
      const outcome = await attempt();
      if (!isLate()) return outcome;
    } catch (error) {
      if (!isLate()) throw error;
    }
    if (performance.now() > giveUpAt) throw new Error(`not once within ${ms} ms, for ${PATIENCE_MS / 1_000} s`);
  }
}

import { PATIENCE_MS } from './until.ts';

/**
 * For a fact that holds for a limited time only. An attempt that took longer than that has found nothing out and is
 * repeated; the first attempt in time gives the result. Each attempt must set up its own subject.
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

import type { GeneratorMessage } from './load-messages.ts';

/**
 * Makes this process a generator of `runGenerator`: carries out the one order that it gets, and ends with its parent.
 * `run` reports both ends of its window, and before that the end of its preparation, if the parent waits for it. `ended`
 * resolves when the parent wants the window to end early.
 */
export function serveOrder<Order, Outcome>(
  run: (
    order: Order,
    tellWindow: (edge: 'start' | 'end') => void,
    tellReady: () => void,
    ended: Promise<void>,
  ) => Promise<Outcome>,
): void {
  const tell = (message: GeneratorMessage<Outcome>) => void process.send?.(message);
  process.on('disconnect', () => process.exit(1));
  process.once('message', (order) => {
    const tellWindow = (edge: 'start' | 'end') => tell({ kind: 'window', edge });
    // The only message that follows the order.
    const ended = new Promise<void>((resolve) => process.once('message', () => resolve()));
    run(order as Order, tellWindow, () => tell({ kind: 'ready' }), ended).then(
      (outcome) => tell({ kind: 'measured', outcome }),
      (error) =>
        tell({ kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
}

/** At least `ms`: a timer may fire a fraction early, and a window must not be too short. */
export async function sleepFully(ms: number): Promise<void> {
  const until = performance.now() + ms;
  for (let left = ms; left > 0; left = until - performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(left)));
  }
}

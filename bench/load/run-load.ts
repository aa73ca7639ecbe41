import type { LoadOrder, LoadOutcome } from './load-messages.ts';
import { type LoadWatch, runGenerator } from './run-generator.ts';

const PROGRAM = new URL('./generator.ts', import.meta.url);

/** Runs one load in a generator of its own. Rejects when the generator fails, goes silent, or its signal is aborted. */
export function runLoad(order: LoadOrder, watch: LoadWatch): Promise<LoadOutcome> {
  return runGenerator<LoadOutcome>(PROGRAM, order, watch);
}

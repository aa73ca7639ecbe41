import assert from 'node:assert/strict';
import fc from 'fast-check';
import { History } from './history.ts';
import type { ModelState } from './model-state.ts';
import { OPENING, step } from './step.ts';
import { openTenant, openWorld, type World } from './world.ts';

export interface AgreementOptions {
  readonly seed: number;
  /** Histories that are tried. */
  readonly histories: number;
  /** Steps of the longest one. */
  readonly steps: number;
  /** No further history starts after this long, except the minimum. */
  readonly timeLimitMs: number;
  /** So many are made on the slowest machine, too. */
  readonly fewestSteps: number;
}

type Limits = ModelState['limits'];

/** Steps after which the rows are compared as well. */
const ROWS_EVERY = 5;

export const limits: fc.Arbitrary<Limits> = fc.record({
  tasks: fc.constantFrom(null, 15),
  customers: fc.constantFrom(null, 4),
  warehouses: fc.constantFrom(null, 2),
});

/**
 * Random histories of one organization, carried out by the engine and by a plain model. After every step the answer,
 * the live actor, the list, an actor that was rebuilt in between and the counters agree with the model. Resolves to the
 * number of steps that were made.
 */
export function assertModelAgrees(options: AgreementOptions): Promise<number> {
  const story = fc.noBias(fc.array(step, { minLength: 1, maxLength: options.steps, size: 'max' }));
  return checkHistories(options, limits, story, async (world, most, steps, log) => {
    const history = new History(await openTenant(world, most), most, log);
    for (const first of OPENING) await history.perform(first);
    for (const [number, next] of steps.entries()) {
      await history.perform(next);
      await (number % ROWS_EVERY === 0 ? history.agree() : history.agreeOnTasks());
    }
    await history.tenant.retire();
    await history.agree();
    return steps.length;
  });
}

/** Fails with the shortest history that was found to go wrong. `live` resolves to the number of steps that it made. */
export async function checkHistories<T>(
  { seed, histories, timeLimitMs, fewestSteps }: AgreementOptions,
  most: fc.Arbitrary<Limits>,
  story: fc.Arbitrary<T>,
  live: (world: World, most: Limits, story: T, log: string[]) => Promise<number>,
): Promise<number> {
  const world = await openWorld();
  let made = 0;
  const endsAt = performance.now() + timeLimitMs;
  const property = fc.asyncProperty(most, story, async (bounds, told) => {
    if (performance.now() > endsAt && made >= fewestSteps) return;
    const log: string[] = [];
    try {
      made += await live(world, bounds, told, log);
    } catch (error) {
      const story = `with ${JSON.stringify(bounds)}:\n  ${log.join('\n  ')}`;
      throw new Error(`${(error as Error).message}\n${story}`, { cause: error });
    }
  });
  try {
    const found = await fc.check(property, { seed, numRuns: histories });
    assert.ok(!found.failed, `seed ${seed}: ${(found.errorInstance as Error | null)?.message}`);
    return made;
  } finally {
    await world.stop();
  }
}

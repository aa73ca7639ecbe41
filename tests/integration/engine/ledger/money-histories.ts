import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { LIMITS } from '../../../../schema/limits.ts';
import { assertBooksAgree } from '../../../support/assert-books-agree.ts';
import { carryOut, type Operation } from './money-model.ts';
import { type MoneyTenant, openMoneyTenant, openMoneyWorld } from './money-place.ts';
import { type MoneyState, withPlainIds } from './money-state.ts';
import { type MoneyStep, moneyStep } from './money-steps.ts';

export interface MoneyOptions {
  readonly seed: number;
  /** Histories that are tried. */
  readonly histories: number;
  /** Steps of the longest one. */
  readonly steps: number;
  /** No further history starts after this long, except the minimum. */
  readonly timeLimitMs: number;
  /** So many are made on the slowest machine, too. */
  readonly fewestOperations: number;
}

/** An operation with what the engine said. */
interface Answered {
  readonly operation: Operation;
  readonly outcome: string;
}

/** The memory of an actor; with the smaller bounds almost everything is read again. */
const memory = fc.constantFrom(
  { payments: LIMITS.paymentsInMemory, owners: LIMITS.accountOwnersInMemory },
  { payments: 2, owners: 4 },
);

/**
 * Random histories of one organization's money. After every step, some of which are several operations at once: a plain
 * model can tell in which order they came to what was answered and to what is now; the books agree with themselves, with
 * the payments and with what the actor remembers. Resolves to the number of operations.
 */
export async function assertMoneyAgrees(options: MoneyOptions): Promise<number> {
  const { seed, histories, timeLimitMs, fewestOperations } = options;
  const world = await openMoneyWorld();
  const bounds = { ...LIMITS };
  let made = 0;
  const endsAt = performance.now() + timeLimitMs;
  const story = fc.noBias(fc.array(moneyStep, { minLength: 1, maxLength: options.steps, size: 'max' }));
  const property = fc.asyncProperty(memory, story, async ({ payments, owners }, steps) => {
    if (performance.now() > endsAt && made >= fewestOperations) return;
    Object.assign(LIMITS, { paymentsInMemory: payments, accountOwnersInMemory: owners });
    const log: string[] = [];
    try {
      const tenant = await openMoneyTenant(world);
      for (const step of steps) made += await perform(tenant, step, log);
    } catch (error) {
      throw new Error(`${(error as Error).message}\nremembering ${owners} owners:\n  ${log.join('\n  ')}`, {
        cause: error,
      });
    }
  });
  try {
    const found = await fc.check(property, { seed, numRuns: histories });
    assert.ok(!found.failed, `seed ${seed}: ${(found.errorInstance as Error | null)?.message}`);
    return made;
  } finally {
    Object.assign(LIMITS, bounds);
    await world.stop();
  }
}

/** Resolves to the number of operations. */
async function perform(tenant: MoneyTenant, step: MoneyStep, log: string[]): Promise<number> {
  const { world, organizationId, customerIds } = tenant;
  if (step.kind !== 'together') {
    log.push(step.kind);
    await (step.kind === 'retire' ? tenant.retire() : world.restart());
    return 0;
  }
  const before = await tenant.read();
  const operations = step.makes.flatMap((make) => make({ ...before, customerIds }) ?? []);
  if (step.fault) world.faults.failNext(step.fault);
  log.push(
    `${step.fault ? `(fails ${step.fault}) ` : ''}${operations.map((one) => JSON.stringify(one)).join('\n  & ')}`,
  );
  const answers = await Promise.all(operations.map((operation) => tenant.ask(operation)));
  const answered = operations.map((operation, index) => ({ operation, outcome: answers[index]! }));
  log.push(`  → ${answers.join(', ')}`);
  // A commit whose answer is not waited for may still be on its way.
  await world.engine.parts.groupCommit.whenIdle();
  const after = await tenant.read();
  assertExplained(before, answered, after);
  await assertBooksAgree(world.sql, organizationId);
  await tenant.assertMemoryAgrees();
  return operations.length;
}

/** Fails when no order of the operations leads to these answers and to what is now. */
function assertExplained(before: MoneyState, answered: readonly Answered[], after: MoneyState): void {
  const actual = withPlainIds(after, before);
  let nearest: MoneyState | undefined;
  const isExplained = (state: MoneyState, left: readonly Answered[]): boolean => {
    if (left.length === 0) {
      const expected = withPlainIds(state, before);
      nearest ??= expected;
      return isDeepStrictEqual(expected, actual);
    }
    return left.some(({ operation, outcome }, index) => {
      const next = structuredClone(state);
      return carryOut(next, operation) === outcome && isExplained(next, left.toSpliced(index, 1));
    });
  };
  if (isExplained(before, answered)) return;
  if (nearest) assert.deepEqual(actual, nearest, 'the rows and the model');
  const alone = structuredClone(before);
  const expected = answered.map(({ operation }) => carryOut(alone, operation));
  assert.fail(`no order explains ${answered.map(({ outcome }) => outcome)}; one after another: ${expected}`);
}

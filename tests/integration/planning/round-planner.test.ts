import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { computeRound, type RoundInput } from '../../../engine/planning/compute-round.ts';
import { PlanningError, RoundPlanner, type RoundPlannerOptions } from '../../../engine/planning/round-planner.ts';
import { systemScheduler } from '../../../engine/runtime/clock.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { until } from '../../support/until.ts';
import { agent, order, roundView } from '../../unit/planning/round-fixture.ts';

const releaser = createReleaser(() => {});
after(() => releaser.stop());

function openPlanner(options: Partial<RoundPlannerOptions> = {}): RoundPlanner {
  const planner = new RoundPlanner({ scheduler: systemScheduler, log: createLog('test', 'silent'), ...options });
  releaser.push('planner', () => planner.stop());
  return planner;
}

function input(orders = 3, agents = 4): RoundInput {
  const all = { orders: Array.from({ length: orders }, (_, index) => order({ taskId: index + 1 })), agents };
  const view = roundView(
    all.orders,
    Array.from({ length: all.agents }, (_, index) => agent(index + 1)),
  );
  return { view, trips: null, mode: 'broadcast' };
}

/** A thread that does what the text says. */
function threadOf(text: string): URL {
  return new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';${text}`)}`,
  );
}

test('a large round is computed in a thread, with the same outcome, and the loop goes on meanwhile', async () => {
  const planner = openPlanner({ pairsInTurn: 0 });
  await planner.plan(input());
  const large = input(400, 400);
  const expected = computeRound(large);
  // A round in the thread shows no turns on a machine that does something else meanwhile; a round in the loop never shows any.
  await until('the loop turns beside a round', async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    assert.deepEqual(await planner.plan(large), expected);
    clearInterval(counting);
    return turns > 1;
  });
});

test('rounds take turns in the thread, and each gets its own plan', async () => {
  const planner = openPlanner({ pairsInTurn: 0 });
  const inputs = [1, 2, 3, 4].map((orders) => input(orders));
  assert.deepEqual(await Promise.all(inputs.map((each) => planner.plan(each))), inputs.map(computeRound));
});

const dying: readonly (readonly [how: string, text: string])[] = [
  ['throws', `throw new Error('broken')`],
  ['exits', `parentPort.on('message', () => process.exit(3))`],
];
for (const [how, text] of dying) {
  test(`a thread that ${how} fails the rounds that wait for it, and the next round has a new one`, async () => {
    const planner = openPlanner({ pairsInTurn: 0, thread: threadOf(text) });
    const outcomes = await Promise.allSettled([planner.plan(input()), planner.plan(input())]);
    for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && outcome.reason instanceof PlanningError);
    await assert.rejects(planner.plan(input()), PlanningError);
  });
}

test('a thread that does not start fails the rounds that wait for it, and the next round has one', async () => {
  const started = threadOf('parentPort.on("message", () => parentPort.postMessage("a plan"))');
  // No worker is made of such an address: its constructor throws, as it does where the system has no room for a thread.
  let thread = new URL('http://127.0.0.1/');
  const options = { scheduler: systemScheduler, log: createLog('test', 'silent'), pairsInTurn: 0 };
  const planner = new RoundPlanner({
    ...options,
    get thread() {
      return thread;
    },
  });
  releaser.push('planner', () => planner.stop());
  for (const _round of [1, 2]) await assert.rejects(planner.plan(input()), PlanningError);
  thread = started;
  const made: unknown = await planner.plan(input());
  assert.equal(made, 'a plan');
});

test('a round that takes too long is given up with its thread', async () => {
  const giveUps: (() => void)[] = [];
  const scheduler = {
    ...systemScheduler,
    after(_delayMs: number, task: () => void) {
      giveUps.push(task);
      return () => {};
    },
  };
  const planner = openPlanner({
    pairsInTurn: 0,
    thread: threadOf('parentPort.on("message", () => { for (;;); })'),
    scheduler,
  });
  const plan = planner.plan(input());
  for (const giveUp of giveUps) giveUp();
  await assert.rejects(plan, PlanningError);
});

test('a plan that comes when its round has been given up is not taken for that of the next round', async () => {
  const giveUps: (() => void)[] = [];
  const scheduler = {
    ...systemScheduler,
    after(_delayMs: number, task: () => void) {
      giveUps.push(task);
      return () => {};
    },
  };
  const thread = threadOf(
    'let made = 0; parentPort.on("message", () => parentPort.postMessage("plan " + (made += 1)))',
  );
  const planner = openPlanner({ pairsInTurn: 0, thread, scheduler });
  const made: unknown = await planner.plan(input());
  assert.equal(made, 'plan 1', 'it runs');
  const [late, next] = [planner.plan(input()), planner.plan(input())];
  // The thread makes its plan while this loop does not turn.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  giveUps.at(-1)!();
  await assert.rejects(late, PlanningError);
  const got: unknown = await next;
  assert.equal(got, 'plan 1', 'of a new thread');
});

test('of too many large rounds the others are refused at once, and stopping fails those that wait', async () => {
  const planner = openPlanner({ pairsInTurn: 0, thread: threadOf('parentPort.on("message", () => {})') });
  const waiting = Array.from({ length: LIMITS.roundsInThread }, () => planner.plan(input()));
  const failures = Promise.allSettled(waiting);
  await assert.rejects(planner.plan(input()), PlanningError);
  await planner.stop();
  for (const { status } of await failures) assert.equal(status, 'rejected');
  await assert.rejects(planner.plan(input()), PlanningError);
});

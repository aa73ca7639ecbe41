import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentOnDuty, RoundRows, SearchingOrganization } from '../../../engine/store/planning/round-store.ts';
import type { RoundTurnStore } from '../../../engine/store/planning/round-turn-store.ts';
import { refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { RoundScheduler } from '../../../workers/assignment/round-scheduler.ts';
import { soughtTask } from '../sought-task.ts';
import { ALWAYS, type HandTime, hint, NOBODY, openRoundScheduler, START, searching, settle } from './hand-rounds.ts';

test('commits within the window of the first are planned with it, in one round', async () => {
  const { scheduler, time, times } = openRoundScheduler(() => NOBODY);
  scheduler.nudge([searching(1)]);
  await time.pass(400);
  hint(scheduler, searching(1));
  await time.pass(99);
  assert.deepEqual(times(), []);
  await time.pass(1_000);
  assert.deepEqual(times(), [500]);
});

test('the window begins with the commit, which is heard of a little later', async () => {
  for (const [quietMs, at] of [
    [40, 460],
    [-5, 500],
    [60_000, 500 - LIMITS.roundHeardMs],
  ] as const) {
    const { scheduler, time, times } = openRoundScheduler(() => NOBODY);
    scheduler.nudge([{ ...searching(1), quietMs }]);
    await time.pass(1_000);
    assert.deepEqual(times(), [at]);
  }
});

test('a commit during a round has a window of its own, and its round comes no sooner than a pause later', async () => {
  for (const [windowMs, second] of [
    [500, 1_200 - LIMITS.roundLeadMs],
    [0, 200 + LIMITS.roundPauseMs],
  ] as const) {
    let end = (_rows: RoundRows) => {};
    const reading = new Promise<RoundRows>((resolve) => (end = resolve));
    const { scheduler, time, times } = openRoundScheduler(() => (times().length === 1 ? reading : NOBODY));
    scheduler.nudge([searching(1, { batchingWindowMs: windowMs })]);
    await time.pass(windowMs);
    await time.pass(200);
    hint(scheduler, searching(1, { batchingWindowMs: windowMs }));
    end(NOBODY);
    await settle();
    await time.pass(5_000);
    const pause = Math.max(second, windowMs + 200 + Math.max(LIMITS.roundPauseMs, 200));
    assert.deepEqual(times(), [windowMs, pause]);
  }
});

test('a round that fails is repeated after the retry interval, for every kind of failure and every window', async () => {
  for (const batchingWindowMs of [500, 60_000]) {
    let isAway = true;
    const { scheduler, time, times, answers } = openRoundScheduler(() => {
      if (isAway) throw new Error('away');
      return NOBODY;
    });
    scheduler.nudge([searching(1, { batchingWindowMs })]);
    await time.pass(batchingWindowMs);
    isAway = false;
    answers.push({ ok: false, refusal: refusal('OUTCOME_UNKNOWN') });
    await time.pass(5_000);
    const again = batchingWindowMs + LIMITS.roundRetryMs;
    assert.deepEqual(times(), [batchingWindowMs, again, again + LIMITS.roundRetryMs]);
    assert.deepEqual([scheduler.counts.rounds, scheduler.counts.failed], [1, 2]);
  }
});

test('tasks beyond the size of a round are planned in the next rounds, every one', async () => {
  const full = Array.from({ length: LIMITS.roundTasks }, (_, index) => soughtTask(index + 1, START));
  const { scheduler, time, rounds } = openRoundScheduler(({ wanted }) =>
    'after' in wanted && wanted.after === 0
      ? { ...NOBODY, tasks: full }
      : { ...NOBODY, tasks: [soughtTask(9_999, START)] },
  );
  scheduler.nudge([searching(1)]);
  await time.pass(10_000);
  assert.deepEqual(
    rounds.map(({ wanted }) => wanted),
    [{ after: 0 }, { after: LIMITS.roundTasks }],
  );
});

test('a page of tasks whose round fails is planned again, before the next page', async () => {
  const full = Array.from({ length: LIMITS.roundTasks }, (_, index) => soughtTask(index + 1, START));
  const { scheduler, time, rounds, answers } = openRoundScheduler(({ wanted }) =>
    'after' in wanted && wanted.after === 0 ? { ...NOBODY, tasks: full } : NOBODY,
  );
  answers.push({ ok: false, refusal: refusal('OUTCOME_UNKNOWN') });
  scheduler.nudge([searching(1)]);
  await time.pass(10_000);
  assert.deepEqual(
    rounds.map(({ wanted }) => wanted),
    [{ after: 0 }, { after: 0 }, { after: LIMITS.roundTasks }],
  );
});

test('only so many organizations have a round at a time, and the others follow in their order', async () => {
  const ends: ((rows: RoundRows) => void)[] = [];
  const { scheduler, time, rounds } = openRoundScheduler(() => new Promise((resolve) => ends.push(resolve)));
  const ids = Array.from({ length: LIMITS.roundsAtOnce + 3 }, (_, index) => index + 1);
  scheduler.nudge(ids.map((id) => searching(id)));
  await time.pass(500);
  const begun = () => rounds.map(({ organizationId }) => organizationId);
  assert.deepEqual(begun(), ids.slice(0, LIMITS.roundsAtOnce));
  for (const end of ends.splice(0, 2)) end(NOBODY);
  await settle();
  await settle();
  assert.deepEqual(begun(), ids.slice(0, LIMITS.roundsAtOnce + 2));
});

test('tasks that no longer look for anybody are not planned, and nothing is proposed for none', async () => {
  const search = { ...soughtTask(1, START).search!, startsAt: '2030-01-01T00:00:00.000Z' };
  const { scheduler, time, asked } = openRoundScheduler(() => ({
    ...NOBODY,
    tasks: [
      { ...soughtTask(1, START), search },
      { ...soughtTask(2, START), search: null },
    ],
  }));
  scheduler.nudge([searching(1)]);
  await time.pass(1_000);
  assert.deepEqual([asked, scheduler.counts.rounds], [[], 1]);
});

test('an organization whose turn another process has is planned when that must have ended it, and each turn is given back', async () => {
  const taken = [700, 0, 0];
  const givenBack: number[] = [];
  const turns: RoundTurnStore = {
    take: async () => taken.shift()!,
    giveBack: async (organizationId) => void givenBack.push(organizationId),
  };
  let isAway = true;
  const { scheduler, time, times } = openRoundScheduler(() => {
    if (isAway) throw new Error('away');
    return NOBODY;
  }, turns);
  scheduler.nudge([searching(1)]);
  await time.pass(500 + 699);
  assert.deepEqual([times(), givenBack], [[], []]);
  await time.pass(1);
  isAway = false;
  await time.pass(LIMITS.roundRetryMs);
  assert.deepEqual(
    [times(), givenBack],
    [
      [1_200, 1_200 + LIMITS.roundRetryMs],
      [1, 1],
    ],
  );
});

test('rounds go on while nobody can say whose turn it is', async () => {
  const away = () => Promise.reject(new Error('away'));
  const { scheduler, time, times, asked } = openRoundScheduler(() => NOBODY, { take: away, giveBack: away });
  scheduler.nudge([searching(1)]);
  await time.pass(500);
  await settle();
  assert.deepEqual([times(), asked.length, scheduler.counts.failed], [[500], 1, 0]);
});

test('a scheduler that stops begins no round, and waits for those under way', async () => {
  let end = (_rows: RoundRows) => {};
  const { scheduler, time, rounds } = openRoundScheduler(() => new Promise<RoundRows>((resolve) => (end = resolve)));
  scheduler.nudge([searching(1)]);
  await time.pass(500);
  scheduler.nudge([searching(2)]);
  let hasStopped = false;
  const stopped = scheduler.stop().then(() => (hasStopped = true));
  await time.pass(5_000);
  assert.deepEqual([rounds.length, hasStopped], [1, false]);
  end(NOBODY);
  await stopped;
});

const SECOND = 1_000;
const AGENT: AgentOnDuty = { agentId: 1, vehicle: null, skills: [], shifts: null, home: null };

/** Lets a sweep see it once a second. */
async function sweep(scheduler: RoundScheduler, time: HandTime, organization: SearchingOrganization, seconds: number) {
  for (let passed = 0; passed < seconds; passed += 1) {
    scheduler.nudge([organization]);
    await time.pass(SECOND);
  }
}

test('rounds that find nobody become rare while nothing happens, and come at once when something does', async () => {
  const { scheduler, time, times } = openRoundScheduler(() => NOBODY);
  await sweep(scheduler, time, searching(1), 100);
  const begun = times().map((ms) => ms / SECOND);
  assert.deepEqual(begun, [0.5, 1.5, 4.5, 9.5, 18.5, 34.5, 50.5, 66.5, 82.5, 98.5]);
  const organization = searching(1);
  hint(scheduler, organization);
  await time.pass(500);
  assert.equal(times().at(-1), 100.5 * SECOND);
  await sweep(scheduler, time, organization, 4);
  assert.equal(times().length, begun.length + 3, 'from then on it starts again');
});

test('a task that is meant for later is looked at by each sweep', async () => {
  const readyAt = new Date(START + 3_600_000).toISOString();
  const position = { agentId: 1, recordedAtMs: START, heardAtMs: 0, latitude: 0, longitude: 0 };
  const rows = { ...NOBODY, tasks: [{ ...soughtTask(1, START), readyAt }], agents: [AGENT] };
  const { scheduler, time, times } = openRoundScheduler(() => rows, ALWAYS, [position]);
  await sweep(scheduler, time, searching(1), 30);
  assert.equal(times().length, 30);
});

test('agents that tell where they are end the rest of who might be helped by that, and of nobody else', async () => {
  const unlocated = { ...NOBODY, agents: [AGENT] };
  for (const [rows, isHelped] of [
    [unlocated, true],
    [NOBODY, false],
  ] as const) {
    const { scheduler, time, times } = openRoundScheduler(() => rows);
    const organization = searching(1);
    await sweep(scheduler, time, organization, 36);
    const before = times().length;
    scheduler.moved([1, 2]);
    await sweep(scheduler, time, organization, 2);
    assert.equal(times().length - before, isHelped ? 1 : 0);
  }
});

test('agents that tell where they are during a round keep the rest after it short', async () => {
  const { scheduler, time, times } = openRoundScheduler(() => {
    scheduler.moved([1]);
    return { ...NOBODY, agents: [AGENT] };
  });
  await sweep(scheduler, time, searching(1), 12);
  assert.deepEqual(
    times().map((ms) => ms / SECOND),
    [0.5, 1.5, 4.5, 7.5, 10.5],
  );
});

test('a commit during a round is planned after it, a repeat by the sweep is not', async () => {
  for (const isNews of [true, false]) {
    const ends: ((rows: RoundRows) => void)[] = [];
    const { scheduler, time, times } = openRoundScheduler(() => new Promise((resolve) => ends.push(resolve)));
    const first = searching(1);
    scheduler.nudge([first]);
    await time.pass(500);
    if (isNews) hint(scheduler, searching(1));
    else scheduler.nudge([first]);
    ends[0]!(NOBODY);
    await settle();
    await time.pass(5 * SECOND);
    assert.equal(times().length, isNews ? 2 : 1);
  }
});

test('commits without a hint start a round now and then, in case a hint is lost', async () => {
  const { scheduler, time, times } = openRoundScheduler(() => NOBODY);
  await sweep(scheduler, time, searching(1), 36);
  const before = times().length;
  for (let second = 0; second < 12; second += 1) await sweep(scheduler, time, searching(1), 1);
  assert.equal(times().length - before, 4, 'every third sweep; one without them');
});

test('a commit without a hint during a round keeps the rest after it short', async () => {
  let organization = searching(1);
  const { scheduler, time, times } = openRoundScheduler(() => {
    organization = searching(1);
    scheduler.nudge([organization]);
    return NOBODY;
  });
  for (let second = 0; second < 12; second += 1) await sweep(scheduler, time, organization, 1);
  assert.deepEqual(
    times().map((ms) => ms / SECOND),
    [0.5, 1.5, 4.5, 7.5, 10.5],
  );
});

test('an organization without searching tasks is forgotten, with its rows', async () => {
  const { scheduler, time, times, forgotten } = openRoundScheduler(() => NOBODY);
  const organization = searching(1);
  await sweep(scheduler, time, organization, 40);
  assert.deepEqual(forgotten, []);
  await time.pass(LIMITS.roundRestMs + LIMITS.roundForgetMs);
  assert.deepEqual(forgotten, [1]);
  const before = times().length;
  await sweep(scheduler, time, organization, 2);
  assert.equal(times().length - before, 2, 'it is as new');
});

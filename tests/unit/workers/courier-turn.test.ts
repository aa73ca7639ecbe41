import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import type { CourierStore } from '../../../engine/store/planning/courier-store.ts';
import type { FleetStore } from '../../../engine/store/planning/fleet-store.ts';
import { assignmentSettingsOf } from '../../../schema/assignment/assignment.ts';
import { type ErrorCode, refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import {
  type CallCouriers,
  type CallCouriersOptions,
  createCallCouriers,
} from '../../../workers/assignment/couriers/book-couriers.ts';
import type { CourierJob } from '../../../workers/assignment/couriers/courier-provider.ts';
import { CourierTurn } from '../../../workers/assignment/couriers/courier-turn.ts';
import { createFleetProvider } from '../../../workers/assignment/couriers/fleet-provider.ts';
import { soughtTask } from '../sought-task.ts';
import { ALWAYS, hint, NOBODY, openRoundScheduler, START, searching } from './hand-rounds.ts';

const MOST = LIMITS.courierJobs;
const ALL = { after: 0, last: Number.POSITIVE_INFINITY };

function jobs(from: number, count: number, weightKg = 1): CourierJob[] {
  const load = { weightKg, volumeM3: 0, packages: 1 };
  return Array.from({ length: count }, (_, index) => ({ taskId: from + index, load, pickup: null, dropoff: null }));
}

const idsOf = (turn: readonly CourierJob[]) => turn.map(({ taskId }) => taskId);
const ids = (from: number, count: number) => idsOf(jobs(from, count));

describe('the turn of jobs for external couriers', () => {
  test('each turn goes on behind the one before, and then from the beginning', () => {
    const turn = new CourierTurn();
    const all = jobs(1, 2 * MOST + 1).reverse();
    assert.deepEqual(idsOf(turn.next(all, ALL)), ids(1, MOST));
    assert.equal(turn.isOver, false);
    assert.deepEqual(idsOf(turn.next(all, ALL)), ids(MOST + 1, MOST));
    assert.deepEqual(idsOf(turn.next(all, ALL)), [2 * MOST + 1]);
    assert.equal(turn.isOver, true);
    assert.deepEqual(idsOf(turn.next(all, ALL)), ids(1, MOST));
  });

  test('as few as a round asks for are asked for in every round, wherever the turn is', () => {
    const turn = new CourierTurn();
    turn.next(jobs(1, 2 * MOST), ALL);
    assert.deepEqual(turn.next(jobs(1, MOST), ALL), jobs(1, MOST));
    assert.equal(turn.isOver, true);
  });

  test('it comes to each job of all pages, also when a page has become empty or has other bounds', () => {
    const turn = new CourierTurn();
    const seen = new Set<number>();
    const pages = (last: number, many: number) =>
      [
        [jobs(1, last), { after: 0, last }],
        [jobs(last + 1, many), { after: last, last: Number.POSITIVE_INFINITY }],
      ] as const;
    const pass = (last: number, many: number) => {
      for (const [all, page] of pages(last, many)) for (const id of idsOf(turn.next(all, page))) seen.add(id);
    };
    for (let round = 0; round < 3; round += 1) pass(3 * MOST, 3 * MOST);
    for (let round = 0; round < 2; round += 1) pass(4 * MOST, 2 * MOST);
    assert.deepEqual([seen.size, turn.isOver], [6 * MOST, true]);
    for (let round = 0; round < 4; round += 1) pass(4 * MOST, 2 * MOST);
    assert.equal(turn.isOver, false);
    pass(4 * MOST, 0);
    assert.equal(turn.isOver, true);
  });
});

const FLEET = [{ externalId: 'bike', name: 'Billie', vehicleType: 'bike', maxWeightKg: 10 }];
const SETTINGS = assignmentSettingsOf({ assignment: { externalCouriers: true, externalFleet: FLEET } });

interface Failing {
  readonly read?: FleetStore['read'];
  readonly identify?: CourierStore['identify'];
  readonly ask?: CallCouriersOptions['ask'];
}

/** Couriers of a fleet whose books are open; notes the tasks that are booked. */
function callWith(booked: number[], failing: Failing = {}): CallCouriers {
  const books: Partial<FleetStore> = {
    read: failing.read ?? (async () => ({ last: 0, open: [] })),
    withdraw: async (_organizationId, taskIds) => {
      for (const taskId of taskIds) booked.splice(booked.indexOf(taskId), 1);
    },
    add: async (_organizationId, _last, entries) => {
      booked.push(...entries.map(({ taskId }) => taskId));
      return true;
    },
  };
  const store: Partial<CourierStore> = {
    identify:
      failing.identify ?? (async (_organizationId, couriers) => couriers.map((courier) => ({ ...courier, id: 1 }))),
    findWithoutCourier: async (_organizationId, taskIds) => (failing.ask ? [...taskIds] : []),
  };
  return createCallCouriers({
    provider: createFleetProvider(books as FleetStore),
    store: store as CourierStore,
    ask: failing.ask ?? (async () => ({ ok: true, status: 200, data: 'null', sequence: 1 })),
    log: createLog('test', 'silent'),
  });
}

describe('calling external couriers', () => {
  test('tasks that no vehicle carries take nobody’s turn', async () => {
    const booked: number[] = [];
    const heavy = jobs(1, MOST, 11);
    const waiting = await callWith(booked)(1, SETTINGS, [...heavy, ...jobs(900, 1)], {
      turn: new CourierTurn(),
      ...ALL,
    });
    assert.deepEqual([booked, waiting], [[900], new Set()]);
  });

  test('tasks that the vehicles have no room for do not shut out those behind them', async () => {
    const booked: number[] = [];
    const call = callWith(booked);
    const turn = new CourierTurn();
    const all = [...jobs(1, 1, 10), ...jobs(2, MOST - 1, 10), ...jobs(MOST + 1, 2)];
    assert.deepEqual(await call(1, SETTINGS, all, { turn, ...ALL }), new Set([MOST + 1, MOST + 2]));
    assert.deepEqual(booked, [1]);
    await call(1, SETTINGS, all.slice(1), { turn, ...ALL });
    assert.deepEqual(booked.slice(1), [MOST + 1, MOST + 2]);
  });

  const lost = async () => {
    throw new Error('Postgres is away');
  };
  const refusing = (code: ErrorCode) => async () => ({ ok: false, refusal: refusal(code) }) as const;
  for (const [what, failing, left] of [
    ['the books of the company cannot be read', { read: lost }, []],
    ['its couriers cannot be noted', { identify: lost }, [1, 2]],
    ['the owner does not apply them', { ask: refusing('NOT_APPLIED') }, []],
    ['the owner has no room', { ask: refusing('OVERLOADED') }, []],
    ['nobody knows whether the owner applied them', { ask: refusing('OUTCOME_UNKNOWN') }, [1, 2]],
  ] satisfies readonly [string, Failing, number[]][])
    test(`a later round asks again when ${what}`, async () => {
      const booked: number[] = [];
      const waiting = await callWith(booked, failing)(1, SETTINGS, jobs(1, 2), { turn: new CourierTurn(), ...ALL });
      assert.deepEqual([waiting, booked], [new Set([1, 2]), left]);
    });
});

test('rounds do not become rare, and no search is without hope, before each task has had its turn', async () => {
  const declined = { rejectedBy: [1], attempts: 1 };
  const tasks = [soughtTask(1, START, { status: 'awaiting_assignment' }, declined)];
  const agent = { agentId: 1, vehicle: null, skills: [], shifts: null, home: null };
  const position = { agentId: 1, recordedAtMs: START, heardAtMs: 0, latitude: 0, longitude: 0 };
  let left = 6;
  const { scheduler, time, times, asked } = openRoundScheduler(
    () => ({ ...NOBODY, tasks, agents: [agent] }),
    ALWAYS,
    [position],
    async (_organizationId, _settings, _jobs, { turn, ...page }) => {
      left -= 1;
      turn.next(left > 0 ? jobs(1, 1_000) : [], page);
      return new Set(left > 0 ? [1] : []);
    },
  );
  const organization = searching(1);
  hint(scheduler, organization);
  for (let second = 0; second < 7; second += 1) {
    scheduler.nudge([organization]);
    await time.pass(1_000);
  }
  assert.deepEqual(times(), [500, 1_500, 2_500, 3_500, 4_500, 5_500, 6_500]);
  const hopeless = asked.flatMap((command) => (command.kind === 'propose-offers' ? command.lacking : []));
  assert.deepEqual(hopeless.map(({ isHopeless }) => isHopeless).filter(Boolean).length, 2);
});

test('a page on which no task searches any more passes the turn on', async () => {
  const isOver: boolean[] = [];
  const { scheduler, time, times } = openRoundScheduler(
    () => ({
      ...NOBODY,
      tasks: [times().length === 2 ? soughtTask(1, START, { search: null }) : soughtTask(1, START)],
    }),
    ALWAYS,
    [],
    async (_organizationId, _settings, _jobs, { turn, ...page }) => {
      isOver.push(turn.isOver);
      turn.next(jobs(1, 1_000), page);
      return new Set();
    },
  );
  for (let second = 0; second < 3; second += 1) {
    hint(scheduler, searching(1));
    await time.pass(1_000);
  }
  assert.deepEqual([times().length, isOver], [3, [true, true]]);
});

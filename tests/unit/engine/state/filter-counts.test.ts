import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskChange } from '../../../../engine/org/apply/org-batch.ts';
import { FilterCounts } from '../../../../engine/org/lists/filter-counts.ts';
import type { Scheduler } from '../../../../engine/runtime/clock.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { TaskFilter } from '../../../../schema/tasks/task-filter.ts';
import { taskRecord } from '../../../integration/store/task-writer.ts';

const ORGANIZATION = 7;
const MINE: TaskFilter = { customerId: 1 };

const task = (id: number, customerId: number) => taskRecord({ organizationId: ORGANIZATION, id, customerId });
const created = (id: number, customerId = 1): TaskChange => ({ before: null, after: task(id, customerId) });
const moved = (id: number, from: number, to: number): TaskChange => ({
  before: task(id, from),
  after: task(id, to),
});

/** A process whose waiting is ended by hand. */
function setUp() {
  const waiting: (() => void)[] = [];
  const scheduler: Scheduler = {
    after(_delayMs, run) {
      waiting.push(run);
      return () => waiting.splice(waiting.indexOf(run), 1);
    },
    every: () => () => {},
    soon: (run) => run(),
  };
  const counts = new FilterCounts(scheduler);
  let sequence = 0;
  let walks = 0;
  const nothing: TaskChange[] = [];
  Object.defineProperty(nothing, Symbol.iterator, {
    value: () => {
      walks += 1;
      return new Set<TaskChange>().values();
    },
  });
  return {
    counts,
    /** One commit with an event for each change. */
    commit(...changes: TaskChange[]) {
      counts.committed(ORGANIZATION, sequence, sequence + changes.length, changes);
      sequence += changes.length;
    },
    /** One that changes no task. */
    commitOthers(events: number) {
      counts.committed(ORGANIZATION, sequence, sequence + events, nothing);
      sequence += events;
    },
    /** How often what such commits changed was looked through. */
    walks: () => walks,
    giveUpWaiting: () => {
      for (const run of waiting.splice(0)) run();
    },
    take(count: number, at: number) {
      counts.follow(ORGANIZATION);
      counts.remember(ORGANIZATION, MINE, { count, sequence: at, epoch: 0 });
    },
    at: (wanted: number) => counts.countAt(ORGANIZATION, MINE, wanted),
  };
}

test('a count is moved by what begins and ceases to match', async () => {
  const { take, commit, at } = setUp();
  take(10, 0);
  commit(created(1), created(2, 5), moved(3, 5, 1), moved(4, 1, 5), moved(5, 1, 1));
  commit(created(6));
  assert.equal(await at(5), 11);
  assert.equal(await at(6), 12);
});

test('a page read before the count was taken gets the count of its own time', async () => {
  const { take, commit, at, counts } = setUp();
  counts.follow(ORGANIZATION);
  commit(created(1));
  commit(created(2));
  take(20, 2);
  assert.equal(await at(1), 19);
});

test('a commit that Postgres shows first is waited for', async () => {
  const { take, commit, at } = setUp();
  take(10, 0);
  const later = at(2);
  commit(created(1));
  commit(created(2));
  assert.equal(await later, 12);
});

test('a commit that does not come makes the count unknown, until it is taken again', async () => {
  const { take, at, giveUpWaiting, counts } = setUp();
  take(10, 0);
  const later = at(1);
  giveUpWaiting();
  assert.equal(await later, undefined);
  assert.equal(counts.find(ORGANIZATION, MINE), undefined);
  take(11, 1);
  assert.equal(await at(1), 11);
});

test('commits made elsewhere make every count unknown', async () => {
  const { take, commit, at, counts } = setUp();
  take(10, 0);
  commit(created(1));
  counts.committed(ORGANIZATION, 3, 4, [created(9)]);
  assert.equal(await at(4), undefined);
});

test('a count taken before the commits that are known is not used', async () => {
  const { counts, at, giveUpWaiting } = setUp();
  counts.follow(ORGANIZATION);
  counts.committed(ORGANIZATION, 5, 6, [created(1)]);
  counts.remember(ORGANIZATION, MINE, { count: 10, sequence: 3, epoch: 0 });
  const asked = at(6);
  giveUpWaiting();
  assert.equal(await asked, undefined);
});

test('more changes than are kept are taken into the counts, and the count stays exact', async () => {
  const { take, commit, at, counts } = setUp();
  take(0, 0);
  const many = LIMITS.filterCountChanges * 3;
  for (let id = 1; id <= many; id += 1) commit(created(id, id % 2 === 0 ? 1 : 2));
  assert.equal(await at(many), many / 2);
  counts.remember(ORGANIZATION, MINE, { count: 0, sequence: 1, epoch: 0 });
  assert.equal(await at(many), many / 2, 'an older count does not take the place of a newer one');
});

test('commits without tasks move the log on, and are not looked at again', async () => {
  const { take, commit, commitOthers, at, walks } = setUp();
  take(10, 0);
  commit(created(1));
  for (let time = 0; time < 1_000; time += 1) commitOthers(2);
  commit(created(2));
  assert.deepEqual([await at(2_001), await at(2_002), await at(2_001)], [11, 12, 11]);
  assert.equal(walks(), 0);
});

test('a count that nobody asks for is forgotten', () => {
  const { take, commit, counts } = setUp();
  take(0, 0);
  const folds = LIMITS.filterCountIdleFolds + 2;
  for (let id = 1; id <= folds * LIMITS.filterCountChanges; id += 1) commit(created(id));
  assert.equal(counts.find(ORGANIZATION, MINE), undefined);
});

test('filters and organizations are bounded; those asked for last stay', async () => {
  const { counts, take } = setUp();
  take(0, 0);
  const most = LIMITS.filterCountsPerOrganization;
  const remember = (id: number) =>
    counts.remember(ORGANIZATION, { customerId: id }, { count: id, sequence: 0, epoch: 0 });
  for (let id = 2; id <= most; id += 1) remember(id);
  assert.equal(await counts.countAt(ORGANIZATION, { customerId: 2 }, 0), 2);
  for (let id = most + 1; id <= most + 2; id += 1) remember(id);
  assert.equal(counts.find(ORGANIZATION, MINE), undefined);
  assert.equal(counts.find(ORGANIZATION, { customerId: 3 }), undefined);
  assert.equal(counts.find(ORGANIZATION, { customerId: 2 }), 2);
  for (let other = 1; other <= LIMITS.filterCountOrganizations; other += 1) counts.follow(1_000 + other);
  assert.equal(counts.find(ORGANIZATION, { customerId: 2 }), undefined);
});

test('a search is counted by what stands beside its tasks, and again when that changes elsewhere', async () => {
  const { counts, at: _, ...rest } = setUp();
  const filter: TaskFilter = { search: 'ada' };
  const remember = (epoch: number) => counts.remember(ORGANIZATION, filter, { count: 5, sequence: 0, epoch });
  remember(counts.follow(ORGANIZATION));
  const customer = { firstName: 'ADA', lastName: '', phoneE164: null };
  const after = { customer, location: null, packages: [] };
  rest.commit({ ...created(1), belongings: { before: undefined, after } });
  rest.commit({ ...created(2), belongings: { before: undefined, after: { ...after, customer: null } } });
  assert.equal(await counts.countAt(ORGANIZATION, filter, 2), 6);
  const epoch = counts.follow(ORGANIZATION);
  counts.committed(ORGANIZATION, 2, 2, [], true);
  assert.equal(counts.find(ORGANIZATION, filter), undefined);
  remember(epoch);
  assert.equal(counts.find(ORGANIZATION, filter), undefined, 'counted before the change, and kept after it');
});

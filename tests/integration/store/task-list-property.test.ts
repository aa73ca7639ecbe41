import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededNumbers } from '../../../bench/scenarios/seeded-numbers.ts';
import { dueAtOf } from '../../../engine/domain/tasks/delay.ts';
import { type Belongings, matchesFilter } from '../../../engine/domain/tasks/task-filter.ts';
import { createMaintenanceStore } from '../../../engine/store/cluster/maintenance-store.ts';
import { SHOWN_TASK } from '../../../engine/store/rows/record-tables.ts';
import { exportTasks } from '../../../engine/store/task-lists/task-list-export.ts';
import { planPage } from '../../../engine/store/task-lists/task-list-plan.ts';
import type { PageRequest } from '../../../engine/store/task-lists/task-list-request.ts';
import { forPages, type PageConnections, readPage } from '../../../engine/store/task-lists/task-list-store.ts';
import {
  ALL_TASK_TYPES,
  AUTO_ASSIGNMENT_STATUSES,
  isTerminal,
  TASK_STATUSES,
  type TaskRecord,
} from '../../../schema/tasks/task.ts';
import type { TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { rounds, someOf } from '../../support/runner/rounds.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';
import { makeBelongings, readBelongings } from './task-belongings.ts';
import { listTasksAnew, taskRecord, writeTasks } from './task-writer.ts';

/** More than LIMITS.tasksGatheredInsteadOfWalk, so that lists are walked as well as gathered. */
const TASKS = 5_500;
const LOCATIONS = 40;
const SEED = 20_260_701;
const draw = seededNumbers(SEED);

let organizationId: number;
let all: TaskRecord[];
/** The same tasks in the opposite order: here the open ones are the oldest, where no list expects them. */
let mirrored: TaskRecord[];
/** The customers, places and packages of the tasks, by their ids. */
let belongings: Pick<Map<number, Belongings>, 'get'>;

const { url, sql, connect } = useDatabase({}, async () => {
  ({ organizationId } = await seedOrganization(url));
  all = Array.from({ length: TASKS }, (_, index) => randomTask(index));
  await writeTasks(sql, all);
  await makePlaces();
  await makeBelongings(sql, organizationId);
  await createMaintenanceStore(sql).listForSearch();
  all = await changeSome(all);
  const mirror = await seedOrganization(url);
  mirrored = all.map((task) => ({ ...mirrorOf(task), organizationId: mirror.organizationId }));
  await writeTasks(sql, mirrored);
  belongings = await readBelongings(sql, organizationId);
  await sql`
    UPDATE tasks p SET child_ids = to_json(ARRAY(
      SELECT c.id FROM tasks c WHERE c.organization_id = p.organization_id AND c.parent_id = p.id))
    WHERE p.organization_id = ${organizationId} AND p.id <= 4`;
  // Most of the open tasks are moving ones.
  await sql`UPDATE tasks SET moving_while_open = true WHERE id % 4 > 0`;
  await sql`ANALYZE`;
});
const pages: PageConnections = { prepared: connect({ name: 'test pages' }, forPages(url)), planned: sql };

const pick = <T>(values: readonly T[]): T => values[draw(values.length)]!;
const minute = (count: number) => new Date(Date.UTC(2030, 0, 1) + count * 60_000).toISOString();

/** Ids that do not go with the time of creation, ties in every sort key, and old tasks that have ended. */
function randomTask(index: number): TaskRecord {
  const status = index < TASKS * 0.8 ? pick(['completed', 'completed', 'completed', 'cancelled']) : pick(TASK_STATUSES);
  const timeToServe = draw(4) === 0 ? 'scheduled' : 'asap';
  return taskRecord({
    organizationId,
    id: 1 + ((index * 4_099) % TASKS),
    status: status as TaskRecord['status'],
    taskType: draw(10) < 7 ? 'delivery' : pick(ALL_TASK_TYPES),
    timeToServe,
    scheduledAt: timeToServe === 'scheduled' ? minute(draw(500)) : null,
    windowEnd: draw(5) === 0 ? minute(draw(3_000)) : null,
    estimatedDuration: draw(3) === 0 ? 1 + draw(90) : null,
    channelId: 1 + draw(3),
    customerId: 1 + (draw(2) === 0 ? 0 : draw(50)),
    agentId: ['new', 'awaiting_assignment', 'cancelled'].includes(status) ? null : 1 + draw(8),
    locationId: 1 + draw(LOCATIONS),
    integrationData: draw(3) === 0 ? null : pick(DATA),
    createdAt: minute(Math.floor(index / 3)),
    updatedAt: minute(draw(TASKS)),
    ...randomState(status as TaskRecord['status']),
    name: draw(3) === 0 ? `Crate ${index % 97} for % and _` : `CODE-${1 + ((index * 4_099) % TASKS)}`,
    parentId: draw(50) === 0 ? 1 + draw(4) : null,
  });
}

function randomState(status: TaskRecord['status']): Partial<TaskRecord> {
  const isCompleted = status === 'completed';
  return {
    courierId: draw(2) === 0 ? null : 1,
    courierType: draw(10) === 0 ? 'external' : 'internal',
    completedAt: isCompleted ? minute(draw(TASKS)) : null,
    outcome: isCompleted ? (draw(20) === 0 ? 'failed' : 'succeeded') : null,
    delayedAt: draw(12) === 0 ? minute(draw(TASKS)) : null,
    autoAssignmentStatus: draw(3) === 0 ? pick(AUTO_ASSIGNMENT_STATUSES) : 'not_requested',
  };
}

function mirrorOf(task: TaskRecord): TaskRecord {
  const mirror = (at: string) => new Date(Date.parse(minute(TASKS)) * 2 - Date.parse(at)).toISOString();
  return { ...task, id: TASKS + 1 - task.id, createdAt: mirror(task.createdAt), updatedAt: mirror(task.updatedAt) };
}

const DATA: readonly TaskRecord['integrationData'][] = [
  { shop: 'a', order: 42 },
  { shop: 'a', order: '42', paid: true },
  { shop: 'b', paid: 'true', nested: { shop: 'a' } },
  { shop: null, order: [42], paid: false },
  { order: 4.2, 'a.b': 'x', '': 'empty key' },
  JSON.parse('{"__proto__": "odd", "shop": "a"}'),
];
const WANTED = [
  ['shop', 'a'],
  ['shop', 'b'],
  ['shop', 'null'],
  ['order', '42'],
  ['order', '4.2'],
  ['order', '42,'],
  ['paid', 'true'],
  ['a.b', 'x'],
  ['', 'empty key'],
  ['__proto__', 'odd'],
  ['toString', 'x'],
] as const;

/** Each place was made for a task; every other one lists it among those that came later, as if it had been away. */
async function makePlaces(): Promise<void> {
  await sql`
    INSERT INTO locations (organization_id, id, address, latitude, longitude, task_id)
    SELECT organization_id, location_id, 'Harbour Road', 51, 6, (array_agg(id ORDER BY created_at DESC, id))[10]
    FROM tasks WHERE organization_id = ${organizationId} GROUP BY organization_id, location_id`;
  await sql`
    DELETE FROM location_uses u USING locations l
    WHERE u.organization_id = ${organizationId} AND l.organization_id = u.organization_id AND l.id = u.location_id
      AND l.task_id = u.task_id AND l.id % 2 = 0`;
}

/** Moves tasks in all that they are listed by, as an update of each would. */
async function changeSome(before: readonly TaskRecord[]): Promise<TaskRecord[]> {
  const changed = before.map((task) => {
    if (draw(20) > 0) return task;
    const { id, code, createdAt, customerId, channelId, taskType, parentId, version } = task;
    const kept = { id, code, createdAt, customerId, channelId, taskType, parentId };
    return { ...randomTask(draw(TASKS)), ...kept, version: version + 1 };
  });
  await listTasksAnew(sql, before, changed);
  return changed;
}

const SEARCHES = [
  'CODE',
  'ode-65',
  'crate 9',
  '%',
  '_',
  '\\',
  'STRASSE',
  'zoË',
  'xÉ',
  'bar-3',
  '10000007',
  '+49 15',
  // The whole number, and one that ends like it.
  '+49 (15) 1000-0007',
  '+48 15 10000007',
  '-',
  'nothing',
];
const BOXES = [
  { west: 6, south: 51, east: 6.05, north: 51.03 },
  { west: 5, south: 50, east: 7, north: 52 },
  { west: 179, south: 50, east: -179, north: 52 },
  { west: -180, south: -90, east: 180, north: 90 },
  { west: 6, south: 51.011, east: 6.2, north: 51.011 },
  { west: 0, south: 0, east: 1, north: 1 },
];
const moments = fc.integer({ min: -500, max: TASKS }).map((count) => minute(count));
const times = {
  createdFrom: moments,
  createdTo: moments,
  updatedFrom: moments,
  updatedTo: moments,
  completedFrom: moments,
  completedTo: moments,
  dueFrom: moments,
  dueTo: moments,
};

const filters: fc.Arbitrary<TaskFilter> = fc.record(
  {
    status: fc.uniqueArray(fc.constantFrom(...TASK_STATUSES), { minLength: 1, maxLength: 3 }),
    taskType: fc.uniqueArray(fc.constantFrom(...ALL_TASK_TYPES), { minLength: 1, maxLength: 2 }),
    customerId: fc.constantFrom(1, 2, 50, 51),
    agentId: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
    channelId: fc.integer({ min: 1, max: 4 }),
    locationId: fc.constantFrom(1, LOCATIONS, LOCATIONS + 1),
    timeToServe: fc.constantFrom('asap', 'scheduled'),
    scheduledFrom: fc.integer({ min: 0, max: 500 }).map(minute),
    scheduledTo: fc.integer({ min: 0, max: 500 }).map(minute),
    code: fc.uniqueArray(fc.constantFrom('CODE-1', 'CODE-77', `CODE-${TASKS}`, 'none'), { minLength: 1, maxLength: 3 }),
    search: fc.constantFrom(...SEARCHES),
    ...times,
    outcome: fc.constantFrom('succeeded', 'failed'),
    isDelayed: fc.boolean(),
    autoAssignmentStatus: fc.constantFrom(...AUTO_ASSIGNMENT_STATUSES),
    parentId: fc.constantFrom(1, 4, 9),
    courierType: fc.constantFrom('internal', 'external'),
    unassigned: fc.boolean(),
    bbox: fc.constantFrom(...BOXES),
    integrationData: fc.uniqueArray(fc.constantFrom(...WANTED), {
      minLength: 1,
      maxLength: 2,
      selector: ([key]) => key,
    }),
  },
  { requiredKeys: [] },
);
/** Filters with one part or two are the ones that many tasks match. */
const fewParts = filters.chain((filter) =>
  fc.subarray(Object.keys(filter), { maxLength: 2 }).map((names): TaskFilter => {
    return Object.fromEntries(Object.entries(filter).filter(([name]) => names.includes(name)));
  }),
);
const requests = fc.record({
  filter: fc.oneof(fewParts, filters),
  sortBy: fc.constantFrom('createdAt', 'updatedAt', 'status', 'scheduledAt', 'dueAt'),
  sortOrder: fc.constantFrom('ASC', 'DESC'),
  take: fc.constantFrom(1, 6, 101),
  skip: fc.oneof(fc.constant(0), fc.nat(60), fc.nat(TASKS)),
  /** How far into the list a cursor points, as a share; null for a numbered page. */
  behind: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
});

function keyOf(task: TaskRecord, { sortBy }: Pick<PageRequest, 'sortBy'>) {
  if (sortBy === 'status') return TASK_STATUSES.indexOf(task.status);
  return sortBy === 'dueAt' ? dueAtOf(task) : task[sortBy];
}

function expectedOf(
  { filter, sortBy, sortOrder }: Pick<PageRequest, 'filter' | 'sortBy' | 'sortOrder'>,
  tasks: readonly TaskRecord[] = all,
): TaskRecord[] {
  const sign = sortOrder === 'ASC' ? 1 : -1;
  return tasks
    .filter((task) => matchesFilter(task, filter, belongings.get(task.id)))
    .map((task) => ({ task, key: keyOf(task, { sortBy }) }))
    .sort(({ task: a, key: x }, { task: b, key: y }) => {
      if (x === y) return sign * (a.id - b.id);
      // Without a time they stand last in either order.
      return x === null ? 1 : y === null ? -1 : sign * (x < y ? -1 : 1);
    })
    .map(({ task }) => task);
}

const OPEN = TASK_STATUSES.filter((status) => !isTerminal(status));
const KINDS: readonly TaskFilter[] = [
  { status: OPEN },
  { status: ['new'] },
  { status: ['completed'] },
  { status: ['completed', 'new'], channelId: 2 },
  { taskType: ['delivery'], timeToServe: 'asap' },
  { channelId: 1 },
];
const WINDOW: TaskFilter = { scheduledFrom: minute(100), scheduledTo: minute(300) };
const LISTED: readonly TaskFilter[] = [
  { locationId: 1 },
  { locationId: LOCATIONS },
  { locationId: LOCATIONS, status: ['completed'] },
  { ...WINDOW, channelId: 2 },
  { scheduledTo: minute(300) },
  { ...WINDOW, integrationData: [['shop', 'a']] },
  { integrationData: [['shop', 'a']], channelId: 2 },
  { agentId: [3] },
];
const PLACES = [
  { skip: 0, behind: null },
  { skip: 400, behind: null },
  { skip: 0, behind: 0.3 },
  { skip: 0, behind: 0.99 },
];

type DrawnRequest = Omit<PageRequest, 'after'> & { readonly behind: number | null };

const WAYS = [
  [undefined, false],
  [1, false],
  [1_000_000, false],
  [undefined, true],
] as const;

async function assertPage({ behind, ...drawn }: DrawnRequest, tasks: readonly TaskRecord[]): Promise<void> {
  const expected = expectedOf(drawn, tasks);
  const at = behind === null ? undefined : expected[Math.floor(behind * (expected.length - 1))];
  const after = at && { key: keyOf(at, drawn), id: at.id };
  const request: PageRequest = { ...drawn, skip: after ? 0 : drawn.skip, after };
  const start = after ? expected.indexOf(at) + 1 : request.skip;
  const wanted = expected.slice(start, start + request.take).map(({ id }) => id);
  // Uncounted, known to be few, known to be many: the ways that a list may be read.
  const made = new Set<string>();
  for (const [matching, isWhole] of WAYS) {
    const statement = JSON.stringify(planPage(tasks[0]!.organizationId, { ...request, isWhole }, matching));
    // Often two ways are one.
    if (made.has(statement)) continue;
    made.add(statement);
    const page = await readPage(pages, tasks[0]!.organizationId, { ...request, isWhole }, matching, SHOWN_TASK);
    const ids = page.items.map(({ task }) => task.id);
    const way = `as if ${matching} matched${isWhole ? ', whole' : ''}`;
    assert.ok(!(isWhole && page.mayFallShort), way);
    assert.deepEqual(ids, page.mayFallShort ? wanted.slice(0, ids.length) : wanted, way);
    if (page.count !== null) assert.equal(page.count, expected.length);
  }
}

test('Postgres says of every task that it is due when the rule says', async () => {
  const rows = await sql<{ id: number; dueAt: string }[]>`
    SELECT id, due_at AS "dueAt" FROM tasks WHERE organization_id = ${organizationId}`;
  const due = new Map(rows.map(({ id, dueAt }) => [id, new Date(dueAt).toISOString()]));
  assert.deepEqual(due, new Map(all.map((task) => [task.id, dueAtOf(task)])));
});

test('every page by every way holds what the rule and the order say, and counts all that match', async () => {
  const property = fc.asyncProperty(requests, (request) => assertPage(request, all));
  await fc.assert(property, { numRuns: rounds(300), seed: SEED });
});

test('pages are the same when workers have listed every task for searches', async () => {
  await createMaintenanceStore(sql).listForSearch();
  const [left] = await sql`SELECT count(*)::int AS waiting FROM findable_fresh`;
  assert.deepEqual(left, { waiting: 0 });
  const found = requests.filter(({ filter }) => filter.search !== undefined || filter.bbox !== undefined);
  await fc.assert(
    fc.asyncProperty(found, (request) => assertPage(request, all)),
    { numRuns: rounds(100), seed: SEED },
  );
});

const ORDERS = ['ASC', 'DESC'] as const;

function listedRequests(sorts: readonly PageRequest['sortBy'][], wanted: readonly TaskFilter[]): DrawnRequest[] {
  return sorts.flatMap((sortBy) =>
    ORDERS.flatMap((sortOrder) =>
      wanted.flatMap((filter) => PLACES.map((place) => ({ filter, sortBy, sortOrder, take: 21, ...place }))),
    ),
  );
}

test('pages of what an agent has, and of what the side tables hold, are right in every order', async () => {
  for (const request of someOf(listedRequests(['createdAt', 'updatedAt'], LISTED))) await assertPage(request, all);
});

test('pages of tasks by kind are right as well where walks along an index meet none of them', async () => {
  const requests = listedRequests(['createdAt', 'updatedAt', 'status'], KINDS);
  for (const request of someOf(requests)) await assertPage(request, mirrored);
});

test('an export holds the same tasks in the same order as the list', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async ({ filter, sortBy, sortOrder }) => {
      const ids: number[] = [];
      await exportTasks(
        sql,
        organizationId,
        filter,
        { sortBy, sortOrder },
        {
          begin: () => {},
          take: async (batch) => {
            ids.push(...batch.map(({ task }) => task.id));
            return true;
          },
        },
      );
      assert.deepEqual(
        ids,
        expectedOf({ filter, sortBy, sortOrder }).map(({ id }) => id),
      );
    }),
    { numRuns: rounds(20), seed: SEED },
  );
});

test('a counter never goes below none', async () => {
  const [task] = all;
  const { status, taskType, channelId, timeToServe } = task!;
  const delta = JSON.stringify([{ organizationId, status, taskType, channelId, timeToServe, delta: -TASKS }]);
  await assert.rejects(
    Promise.resolve(
      sql`SELECT write_task_lists(NULL, ${delta}::text::json, NULL), ${organizationId}::bigint AS organization_id`,
    ),
    /task_counts_count_check/,
  );
});

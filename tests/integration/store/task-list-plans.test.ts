import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedTasks } from '../../../bench/seed/seed-tasks.ts';
import type { Parameters } from '../../../engine/store/parameters.ts';
import { planPage } from '../../../engine/store/task-lists/task-list-plan.ts';
import type { PageRequest } from '../../../engine/store/task-lists/task-list-request.ts';
import { forPages } from '../../../engine/store/task-lists/task-list-store.ts';
import type { TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { useDatabase } from '../../support/system/use-database.ts';

/** The statements behind a first page, as Postgres plans them for an organization with many tasks. */

const TASKS = 12_000;
const MANY = 1_000_000;

let organizationId: number;

const {
  url,
  sql: planned,
  connect,
} = useDatabase({ statementTimeoutMs: 60_000 }, async () => {
  ({ organizationId } = await seedTasks(planned, TASKS, () => {}));
});
const prepared = connect({ name: 'test pages' }, forPages(url));

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const OPEN: TaskFilter = { status: ['new', 'awaiting_assignment', 'assigned', 'accepted', 'in_transit'] };
const BOX = { west: 6.1, south: 51.1, east: 6.12, north: 51.12 };
const WIDE_BOX = { west: 5, south: 50, east: 8, north: 53 };

interface Case {
  readonly filter: TaskFilter;
  readonly indexes: readonly string[];
  readonly sort?: Partial<Pick<PageRequest, 'sortBy' | 'sortOrder'>>;
  /** Known to match many; otherwise it was never counted. */
  readonly isKnown?: boolean;
}

const FIRST_PAGE: PageRequest = {
  filter: {},
  sortBy: 'createdAt',
  sortOrder: 'DESC',
  take: 21,
  skip: 0,
  after: undefined,
};

const CASES: readonly Case[] = [
  { filter: { code: ['SEED-1', 'SEED-29'] }, indexes: ['tasks_code'] },
  {
    filter: { search: 'eed-1234' },
    indexes: ['findable_pages_trigrams', 'customers_trigrams', 'packages_barcode_trigrams'],
  },
  { filter: { search: '+49 1555 00000123' }, indexes: ['customers_trigrams', 'tasks_customer'] },
  { filter: { search: 'delivery' }, indexes: ['tasks_created'], isKnown: true },
  { filter: { createdFrom: daysAgo(100) }, indexes: ['tasks_created'] },
  { filter: { createdFrom: daysAgo(100) }, indexes: ['tasks_created'], isKnown: true },
  { filter: { updatedFrom: daysAgo(1) }, indexes: ['tasks_updated'] },
  { filter: { updatedFrom: daysAgo(100) }, indexes: ['tasks_updated'], sort: { sortBy: 'updatedAt' }, isKnown: true },
  { filter: { completedFrom: daysAgo(101), completedTo: daysAgo(100) }, indexes: ['tasks_completed'] },
  { filter: { dueFrom: daysAgo(101), dueTo: daysAgo(100) }, indexes: ['tasks_due_ended'] },
  { filter: { outcome: 'failed' }, indexes: ['tasks_outcome'] },
  { filter: { outcome: 'succeeded' }, indexes: ['tasks_outcome'], isKnown: true },
  { filter: { isDelayed: true }, indexes: ['tasks_delayed'] },
  { filter: { isDelayed: true }, indexes: ['tasks_delayed'], isKnown: true },
  { filter: { isDelayed: false }, indexes: ['tasks_created'], isKnown: true },
  { filter: { autoAssignmentStatus: 'searching' }, indexes: ['tasks_searching'] },
  { filter: { autoAssignmentStatus: 'searching' }, indexes: ['tasks_searching'], isKnown: true },
  { filter: { autoAssignmentStatus: 'not_requested' }, indexes: ['tasks_created'], isKnown: true },
  { filter: { courierType: 'external' }, indexes: ['tasks_external'] },
  { filter: { courierType: 'internal' }, indexes: ['tasks_created'], isKnown: true },
  { filter: { unassigned: true }, indexes: ['tasks_created', 'tasks_group', 'tasks_unassigned'], isKnown: true },
  {
    filter: { unassigned: true },
    indexes: ['tasks_group', 'tasks_unassigned'],
    sort: { sortOrder: 'ASC' },
    isKnown: true,
  },
  { filter: { unassigned: false }, indexes: ['tasks_created'], isKnown: true },
  { filter: { parentId: 7 }, indexes: ['tasks_pkey'] },
  { filter: { bbox: BOX }, indexes: ['findable_places_strip'] },
  { filter: { ...OPEN, bbox: WIDE_BOX }, indexes: ['tasks_due_open', 'locations_pkey'] },
  { filter: { bbox: WIDE_BOX }, indexes: ['tasks_created', 'locations_pkey'], isKnown: true },
  { filter: {}, indexes: ['tasks_due_open', 'tasks_due_ended'], sort: { sortBy: 'dueAt' } },
  { filter: OPEN, indexes: ['tasks_due_open'], sort: { sortBy: 'dueAt', sortOrder: 'ASC' } },
  { filter: {}, indexes: ['scheduled_tasks_at'], sort: { sortBy: 'scheduledAt' } },
  { filter: OPEN, indexes: ['scheduled_tasks_at'], sort: { sortBy: 'scheduledAt', sortOrder: 'ASC' } },
];

/** As Postgres carries it out: a reusable statement by the plan that is kept for all values. */
async function planOf(wanted: Partial<PageRequest>, isKnown = false) {
  const request = { ...FIRST_PAGE, ...wanted };
  const { ctes, count, parameters, isReusable } = planPage(organizationId, request, isKnown ? MANY : undefined);
  const text = `WITH ${ctes.join(', ')} SELECT ${count}, page.* FROM page`;
  const rows = isReusable ? await explainPrepared(text, parameters.values) : await explain(text, parameters.values);
  return { plan: rows.map((row) => row['QUERY PLAN']).join('\n'), isReusable };
}

type Explained = readonly { readonly 'QUERY PLAN': string }[];
type Values = Parameters['values'];

const explain = (text: string, values: Values): Promise<Explained> =>
  planned.unsafe<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${text}`, [...values]);

/** EXPLAIN of the statement itself would plan it with its values. */
async function explainPrepared(text: string, values: Values): Promise<Explained> {
  const literals = values.map((value) => (value === null ? 'NULL' : `'${`${value}`.replaceAll("'", "''")}'`));
  await prepared.unsafe(`PREPARE page AS ${text}`);
  try {
    return await prepared.unsafe<{ 'QUERY PLAN': string }[]>(`EXPLAIN EXECUTE page(${literals.join(', ')})`);
  } finally {
    await prepared.unsafe('DEALLOCATE page');
  }
}

test('the tasks that changed since a time are counted and gathered along tasks_updated alone', async () => {
  const { plan } = await planOf({ filter: { updatedFrom: daysAgo(1) } });
  assert.ok(plan.includes('tasks_updated'), plan);
  assert.ok(!plan.includes('tasks_group'), plan);
});

for (const { filter, indexes, sort = {}, isKnown = false } of CASES) {
  const what = `${JSON.stringify(filter)} by ${sort.sortBy ?? 'createdAt'}${isKnown ? ', known to match many' : ''}`;
  test(`${what} is found by ${indexes.join(', ')}, and no table is read from end to end`, async () => {
    const { plan } = await planOf({ filter, ...sort }, isKnown);
    for (const index of indexes) assert.ok(plan.includes(index), `${index} is not in\n${plan}`);
    assert.doesNotMatch(
      plan,
      /Seq Scan on (tasks|findable_places|packages|locations|customers|scheduled_tasks)\b/,
      plan,
    );
  });
}

for (const [search, asked] of [
  ['BAR345678', '%345678%'],
  ['Number 0012345678', '%2345678%'],
  ['345678', '%345678%'],
  ['BAR5678', '%BAR5678%'],
  ['BAR345678-X', '%BAR345678-X%'],
] as const) {
  test(`the search ${search} asks the index of barcodes for ${asked}`, async () => {
    const { ctes, count, parameters } = planPage(organizationId, { ...FIRST_PAGE, filter: { search } }, undefined);
    const rows = await explain(`WITH ${ctes.join(', ')} SELECT ${count}, page.* FROM page`, parameters.values);
    const lines = rows.map((row) => row['QUERY PLAN']);
    const condition = lines[lines.findIndex((line) => line.includes('on packages_barcode_trigrams')) + 1];
    assert.ok(condition?.includes(`'${asked}'`), lines.join('\n'));
  });
}

const BY_DAY: readonly (readonly [string, TaskFilter])[] = [
  ['tasks_due_ended', { dueFrom: daysAgo(101), dueTo: daysAgo(100) }],
  ['tasks_completed', { completedFrom: daysAgo(101), completedTo: daysAgo(100) }],
];
for (const [index, filter] of BY_DAY) {
  test(`${index} alone gives the tasks of a day in their order of creation`, async () => {
    const { plan } = await planOf({ filter });
    assert.ok(plan.includes(`Index Only Scan using ${index}`), plan);
    assert.doesNotMatch(plan, new RegExp(`Index Scan (using|Backward using|on) ${index}`), plan);
  });
}

for (const [search, isKept] of [
  ['delivery 7', true],
  ['+49 1555', true],
  ['de', false],
  ['%', false],
  ['12-34', false],
] as const) {
  test(`the plan of the search ${search} is ${isKept ? 'kept' : 'made for it, as it has no trigram'}`, async () => {
    assert.equal((await planOf({ filter: { search } })).isReusable, isKept);
  });
}

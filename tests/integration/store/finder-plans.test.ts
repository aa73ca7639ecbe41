import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPayments } from '../../../engine/store/payments/payment-store.ts';
import { listCustomers } from '../../../engine/store/records/customer-store.ts';
import { findPackages } from '../../../engine/store/records/package-store.ts';
import { listRatings } from '../../../engine/store/records/rating-store.ts';
import type { ListPart } from '../../../schema/fields/page-query.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { planOf, rowsOf } from '../../support/system/plan-of.ts';
import { useDatabase } from '../../support/system/use-database.ts';
import { taskRecord, writeTasks } from './task-writer.ts';

/** The finders reach their rows by an index whose first key is the organization, and look at few others. */

const TASKS = 2_000;
const AGENTS = 20;
const MORNING = Date.UTC(2030, 0, 1, 8);

let organizationId: number;

const at = (index: number) => new Date(MORNING + index * 60_000).toISOString();

/** A day of an organization: every second task is rated. */
async function writeDay(id: number): Promise<void> {
  const tasks = Array.from({ length: TASKS }, (_, index) =>
    taskRecord({
      organizationId: id,
      id: index + 1,
      trackingToken: `token-${id}-${index}`,
      status: 'completed',
      outcome: 'succeeded',
      completedAt: at(index),
      agentId: (index % AGENTS) + 1,
      rating: index % 2 === 0 ? { score: 5, comment: null, at: at(index) } : null,
    }),
  );
  await writeTasks(sql, tasks);
  await sql`
    INSERT INTO packages (organization_id, id, version, task_id, name, description, quantity, is_fragile, barcode, status,
      created_at, updated_at)
    SELECT ${id}, n, 1, n, 'box', 'box', 1, false, 'BC-' || n, 'delivered', now(), now() FROM generate_series(1, ${TASKS}) n`;
  await sql`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, phone_e164,
      created_at, updated_at)
    SELECT ${id}, n, 1, n, 'individual', 'Ada', '', '+4420' || 10000000 + n, ${at(0)}::timestamptz + n * interval '1 s', now()
    FROM generate_series(1, ${TASKS}) n`;
  await sql`
    INSERT INTO payments (organization_id, id, version, task_id, customer_id, channel_id, method, status, amount_minor,
      currency, created_at, updated_at)
    SELECT ${id}, n, 1, n, n, 1, 'cash', 'succeeded', 100, 'USD', ${at(0)}::timestamptz + n * interval '1 s', now()
    FROM generate_series(1, ${TASKS}) n`;
}

const { url, sql } = useDatabase({}, async () => {
  const ids = await Promise.all([1, 2, 3].map(async () => (await seedOrganization(url)).organizationId));
  for (const id of ids) await writeDay(id);
  for (const table of ['tasks', 'packages', 'customers', 'payments']) await sql.unsafe(`VACUUM (ANALYZE) ${table}`);
  organizationId = ids[1]!;
});

const part: ListPart = { limit: 20, skip: 0, after: undefined, listKey: 0 };
const PAGE = { part };
const RATINGS = { part, from: undefined, to: undefined };
/** In the middle of a list. */
const MIDDLE = {
  part: { ...part, after: { at: new Date(MORNING + (TASKS / 2) * 1_000).toISOString(), id: TASKS / 2 } },
};

for (const [name, index, find, most] of [
  [
    'packages by barcode',
    'packages_barcode',
    () => findPackages(sql, organizationId, { ...PAGE, barcode: ['BC-7', 'BC-8'] }, null),
    20,
  ],
  [
    "packages of an agent's own tasks",
    'packages_barcode',
    () => findPackages(sql, organizationId, { ...PAGE, barcode: ['BC-7', 'BC-8'] }, 7),
    30,
  ],
  [
    'customers by phone',
    'customers_phone',
    () => {
      const phone = { e164: '+442010000007', countryCode: '+44', number: '2010000007' };
      return listCustomers(sql, organizationId, { ...PAGE, search: undefined, phone });
    },
    20,
  ],
  // Neither reads what lies before the page, nor counts its matches.
  ['customers behind a cursor', 'customers_created', () => listCustomers(sql, organizationId, MIDDLE), 200],
  ['payments behind a cursor', 'payments_created', () => listPayments(sql, organizationId, MIDDLE), 100],
  // Every rating is counted, in the index.
  ['ratings', 'tasks_rated', () => listRatings(sql, organizationId, RATINGS, undefined), TASKS / 2 + 200],
  [
    'ratings of an hour',
    'tasks_rated',
    () => listRatings(sql, organizationId, { ...RATINGS, from: at(60), to: at(119) }, undefined),
    200,
  ],
  [
    'ratings behind a cursor in a span',
    'tasks_rated',
    () =>
      listRatings(
        sql,
        organizationId,
        { part: { ...part, after: { at: at(90), id: 91 } }, from: at(60), to: at(119) },
        undefined,
      ),
    200,
  ],
  ['ratings of an agent', 'tasks_rated_agent', () => listRatings(sql, organizationId, RATINGS, [3]), 300],
  ['ratings of two agents', 'tasks_rated_agent', () => listRatings(sql, organizationId, RATINGS, [3, 5]), 500],
] as const) {
  test(`${name} are found by ${index}, within the organization`, async () => {
    const nodes = await planOf(sql, find);
    const scans = nodes.filter((node) => node['Index Name'] !== undefined);
    assert.ok(
      scans.some((node) => node['Index Name'] === index),
      scans.map((node) => node['Index Name']).join(),
    );
    for (const node of nodes)
      if (node['Node Type'] === 'Seq Scan') assert.equal(node['Relation Name'], 'organization_heads');
    for (const scan of scans) assert.match(scan['Index Cond'] ?? '', /^\(+organization_id = /, scan['Index Name']);
    const rows = rowsOf(nodes);
    assert.ok(rows <= most, `${rows} rows`);
  });
}

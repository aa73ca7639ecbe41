import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiClient } from '../../support/api-client.ts';
import { seedChannel, seedUser, withSql } from '../../support/seeds/seed.ts';
import { createAgent } from '../agents/agent-place.ts';
import { useGateway } from '../api-fixture.ts';
import { seedRequest } from '../assignment/seed-request.ts';

/** Lists of records, newest first, by their cursors. */

interface Page {
  readonly items: readonly { readonly id?: number; readonly taskId?: number }[];
  readonly count: number;
  readonly nextCursor: string | null;
}

/** A list, with what makes one more record of it. `filter`: another list of the same records. */
interface ListCase {
  readonly path: string;
  readonly what: string;
  readonly query?: string;
  readonly filter?: string;
  readonly table?: string;
  readonly add: () => Promise<unknown>;
}

const RECORDS = 7;
const LIMIT = 2;
let [organizationId, channelId, taskId, agentId] = [0, 0, 0, 0];
let api: ApiClient;

async function post(path: string, body: object): Promise<void> {
  const { status, text } = await api.post(path, body);
  assert.equal(status, 201, text);
}

async function rateOne(): Promise<void> {
  const { id } = await api.createTask();
  const at = new Date().toISOString();
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
    UPDATE tasks SET rating = json_build_object('score', 5, 'comment', NULL, 'at', ${at}::text)
    WHERE organization_id = ${organizationId} AND id = ${id}`,
  );
}

const parcel = { name: 'A parcel', barcode: 'BC-1' };
const location = { address: 'Dock 4', latitude: 53.54, longitude: 9.98 };
const url = 'https://1.1.1.1/hook';
let phones = 0;

const LISTS: readonly ListCase[] = [
  {
    path: '/customers',
    what: 'customers',
    filter: 'search=ada',
    table: 'customers',
    add: () => post('/customers', { name: 'Ada', phone: `+44207946${1000 + ++phones}` }),
  },
  {
    path: '/payments',
    what: 'payments',
    filter: 'method=cash',
    table: 'payments',
    add: async () => post('/payments/cash', { taskId: (await api.createTask()).id, amount: 1 }),
  },
  {
    path: '/packages',
    what: 'packages',
    query: 'barcode=BC-1',
    filter: 'barcode=BC-1,BC-2',
    table: 'packages',
    add: () => api.createTask({ packages: [parcel] }),
  },
  {
    path: '/assignment-requests',
    what: 'assignment requests',
    filter: 'status=rejected',
    table: 'assignment_requests',
    add: () =>
      seedRequest(fixture.gateway.databaseUrl, { organizationId, channelId, taskId, agentId, status: 'rejected' }),
  },
  { path: '/agents', what: 'agents', filter: 'isActive=true', table: 'agents', add: () => createAgent(api) },
  {
    path: '/warehouses',
    what: 'warehouses',
    table: 'warehouses',
    add: () => post('/warehouses', { name: 'North', location }),
  },
  {
    path: '/users',
    what: 'users',
    table: 'users',
    add: () => seedUser(fixture.gateway.databaseUrl, organizationId, 'dispatcher'),
  },
  {
    path: '/channels',
    what: 'channels',
    table: 'channels',
    add: () => seedChannel(fixture.gateway.databaseUrl, organizationId),
  },
  {
    path: '/webhooks',
    what: 'webhooks',
    filter: 'status=active',
    table: 'webhooks',
    add: () => post('/webhooks', { url, events: ['task.*'] }),
  },
  { path: '/ratings', what: 'ratings', filter: 'from=2000-01-01T00:00:00Z', add: rateOne },
];

/** Every second record has the time of the one before it; the others are microseconds apart. */
const SPREAD = `
  UPDATE TABLE t SET created_at = timestamptz '2024-02-29T12:00:00Z' + n.place / 2 * interval '1 us'
  FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM TABLE WHERE organization_id = $1) n
  WHERE t.organization_id = $1 AND t.id = n.id`;

const fixture = useGateway({}, async ({ organization, gateway }) => {
  ({ organizationId, channelId, api } = await organization({ role: 'org_admin' }));
  taskId = (await api.createTask()).id;
  agentId = (await createAgent(api)).id;
  for (const { add } of LISTS) for (let count = 0; count < RECORDS; count += 1) await add();
  await withSql(gateway.databaseUrl, async (sql) => {
    for (const { table } of LISTS) if (table) await sql.unsafe(SPREAD.replaceAll('TABLE', table), [organizationId]);
  });
});

async function read({ path, query = '' }: ListCase, parameters: string): Promise<Page> {
  const { status, body, text } = await api.get<Page>(`${path}?${query}&${parameters}`);
  assert.equal(status, 200, text);
  return body.data;
}

const idsOf = ({ items }: Page) => items.map(({ id, taskId: rated }) => id ?? rated);

/** All ids by cursors. `between` comes after each page. */
async function walk(list: ListCase, limit: number, between: () => Promise<unknown> = async () => {}) {
  const ids: unknown[] = [];
  for (let parameters: string | null = `limit=${limit}`; parameters !== null; ) {
    const page: Page = await read(list, parameters);
    ids.push(...idsOf(page));
    assert.ok(ids.length <= page.count, 'a record came twice');
    parameters = page.nextCursor === null ? null : `limit=${limit}&cursor=${page.nextCursor}`;
    await between();
  }
  return ids;
}

for (const list of LISTS) {
  test(`cursors lead through ${list.path} as pages do, and end with null`, async () => {
    const whole = await read(list, 'limit=100');
    const ids = idsOf(whole);
    assert.ok(whole.count >= RECORDS);
    assert.deepEqual([ids.length, new Set(ids).size, whole.nextCursor], [whole.count, whole.count, null]);
    const byPage: unknown[] = [];
    for (let page = 1; page <= Math.ceil(whole.count / LIMIT); page += 1)
      byPage.push(...idsOf(await read(list, `limit=${LIMIT}&page=${page}`)));
    assert.deepEqual(byPage, ids);
    for (const limit of [1, LIMIT, whole.count]) assert.deepEqual(await walk(list, limit), ids, `limit=${limit}`);
    assert.equal((await read(list, `limit=${whole.count}`)).nextCursor, null, 'nothing is behind it');
  });

  test(`a cursor of ${list.path} goes on from a numbered page, and has the count of all`, async () => {
    const whole = await read(list, 'limit=100');
    const { nextCursor } = await read(list, `limit=${LIMIT}&page=2`);
    const next = await read(list, `limit=3&cursor=${nextCursor}`);
    assert.deepEqual([idsOf(next), next.count], [idsOf(whole).slice(2 * LIMIT, 2 * LIMIT + 3), whole.count]);
  });

  test(`cursors lead through ${list.path} past the records that are made meanwhile`, async () => {
    const before = await read(list, 'limit=100');
    assert.deepEqual(await walk(list, 3, list.add), idsOf(before));
    assert.ok((await read(list, 'limit=100')).count > before.count);
  });
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (cursor: string) =>
  JSON.parse(Buffer.from(cursor.split('.')[0]!, 'base64url').toString()) as [number, string, number];

for (const [index, list] of LISTS.entries()) {
  const { path, what, query = '', filter } = list;
  const foreign = `cursor must be the nextCursor of a list of ${what}${filter ? ' with the same filters' : ''}`;

  test(`${path} refuses a cursor that is not its own, and one beside a page`, async () => {
    const own = (await read(list, 'limit=1')).nextCursor!;
    const other = (await read(LISTS[(index + 1) % LISTS.length]!, 'limit=1')).nextCursor!;
    const [key, at, id] = decoded(own);
    const refused: readonly (readonly [parameters: string, violations: readonly string[]])[] = [
      [`cursor=${own}&page=1`, ['cursor must not be given together with page']],
      [
        `cursor=${own}&page=2&limit=0`,
        ['limit must be an integer between 1 and 100', 'cursor must not be given together with page'],
      ],
      [`cursor=${own}&cursor=${own}`, ['cursor must be given once']],
      [`cursor=${other}`, [foreign]],
      ['cursor=next', [foreign]],
      [`cursor=${own.slice(0, -6)}`, [foreign]],
      [`cursor=${encoded(7)}`, [foreign]],
      [`cursor=${encoded([key, at])}`, [foreign]],
      [`cursor=${encoded([key, at, `${id}`])}`, [foreign]],
      [`cursor=${encoded([key, at, 0])}`, [foreign]],
      [`cursor=${encoded([key, '2024-02-30T12:00:00.000000Z', id])}`, [foreign]],
      [`cursor=${encoded([key, 'yesterday', id])}`, [foreign]],
    ];
    for (const [parameters, violations] of refused) {
      const { status, body } = await api.get(`${path}?${query}&${parameters}`);
      assert.deepEqual([status, body.message], [400, violations], parameters);
    }
    if (filter === undefined) return;
    const filtered = await api.get(`${path}?${filter}&cursor=${own}`);
    assert.deepEqual([filtered.status, filtered.body.message], [400, [foreign]], filter);
  });
}

test('a cursor is the same however its filters were written', async () => {
  for (const [path, one, same] of [
    ['/payments', 'status=succeeded,pending&method=', 'status=pending&status=succeeded,pending'],
    ['/customers', 'search=ada', 'search=%61da'],
    ['/payments', 'from=2024-01-01T00:00:00Z&method=cash', 'method=cash&from=2024-01-01T01:00:00%2B01:00'],
  ] as const) {
    const { nextCursor } = (await api.get<Page>(`${path}?${one}&limit=1`)).body.data;
    const { status, text } = await api.get(`${path}?${same}&cursor=${nextCursor}`);
    assert.equal(status, 200, text);
  }
});

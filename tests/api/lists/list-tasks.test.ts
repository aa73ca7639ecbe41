import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { relistTasks } from '../../support/seeds/relist-tasks.ts';
import { seedAgent, seedChannel, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

/** The records that the queries below name. */
interface Known {
  readonly customerId: number;
  readonly foreignCustomerId: number;
  readonly locationId: number;
  readonly channelId: number;
  readonly agents: readonly [number, number];
}

let known: Known;
let all: TaskView[];
const fixture = useGateway({}, async ({ api, gateway, organization }) => {
  known = await createTasks(api, gateway, (await (await organization()).api.createTask()).customerId!);
  all = (await api.list('limit=100')).body.data.items;
});

const STATUSES = ['new', 'awaiting_assignment', 'assigned', 'accepted', 'in_transit', 'completed', 'cancelled'];
const TYPES = ['delivery', 'pickup', 'return', 'transfer'];

/**
 * 28 tasks of every status and type. Several share a moment of creation and of change, so that ties are there to be
 * broken. Lists run on Postgres, so what has no API yet is set there.
 */
async function createTasks(
  api: ApiClient,
  place: { databaseUrl: string; organizationId: number },
  foreignCustomerId: number,
): Promise<Known> {
  const { databaseUrl, organizationId } = place;
  const agents = [await seedAgent(databaseUrl, organizationId), await seedAgent(databaseUrl, organizationId)].map(
    ({ agentId }) => agentId,
  );
  const { channelId } = await seedChannel(databaseUrl, organizationId);
  const first = await api.createTask({ taskType: 'delivery' });
  const tasks = [first];
  for (let index = 1; index < 28; index += 1) {
    tasks.push(
      await api.createTask({
        taskType: TYPES[index % 4],
        ...(index % 5 === 0 ? { channelId } : {}),
        ...(index % 3 === 0 ? { location: undefined, locationId: first.locationId } : {}),
        ...(index % 2 === 0
          ? { customer: { name: 'Bea', phone: '+442079460002' }, packages: [{ name: 'a' }, { name: 'b' }] }
          : {}),
        ...(index % 4 === 1
          ? { timeToServe: 'scheduled', scheduledAt: `2031-01-${String(index + 1).padStart(2, '0')}T00:00:00Z` }
          : {}),
      }),
    );
  }
  await withSql(databaseUrl, async (sql) => {
    for (const [index, { id }] of tasks.entries()) {
      const rank = index % 7;
      const agentId = rank >= 2 && rank <= 5 ? agents[index % 2]! : null;
      await sql`
        UPDATE tasks SET status = ${STATUSES[rank]!}, status_rank = ${rank}, agent_id = ${agentId},
          created_at = timestamptz '2030-01-01Z' + ${index % 9} * interval '1 hour',
          updated_at = timestamptz '2030-02-01Z' + ${index % 4} * interval '1 hour'
        WHERE organization_id = ${organizationId} AND id = ${id}`;
    }
    await relistTasks(sql, organizationId);
  });
  return {
    customerId: first.customerId!,
    foreignCustomerId,
    locationId: first.locationId!,
    channelId,
    agents: [agents[0]!, agents[1]!],
  };
}

const idsOf = (tasks: readonly TaskView[]) => tasks.map(({ id }) => id);

/** A query, and which of all tasks it finds. */
const FILTERS: readonly (readonly [
  query: (known: Known) => string,
  finds: (task: TaskView, known: Known) => boolean,
])[] = [
  [() => '', () => true],
  ...STATUSES.map((status) => [() => `status=${status}`, (task: TaskView) => task.status === status] as const),
  [() => 'status=new,cancelled', ({ status }) => status === 'new' || status === 'cancelled'],
  [() => 'status=new&status=cancelled,assigned', ({ status }) => ['new', 'cancelled', 'assigned'].includes(status)],
  [() => 'status=%2Cnew%2C', ({ status }) => status === 'new'],
  [() => 'status=', () => true],
  [() => 'status=&status=new', ({ status }) => status === 'new'],
  ...TYPES.map((type) => [() => `taskType=${type}`, (task: TaskView) => task.taskType === type] as const),
  [() => 'taskType=pickup,return', ({ taskType }) => taskType === 'pickup' || taskType === 'return'],
  [() => 'taskType=cash_collection,cash_drop', () => false],
  [({ customerId }) => `customerId=${customerId}`, (task, { customerId }) => task.customerId === customerId],
  [() => 'customerId=999000111', () => false],
  [({ foreignCustomerId }) => `customerId=${foreignCustomerId}`, () => false],
  [({ agents }) => `agentId=${agents[0]}`, (task, { agents }) => task.agentId === agents[0]],
  [({ agents }) => `agentId=${agents.join(',')}`, ({ agentId }) => agentId !== null],
  [({ agents }) => `agentId=${agents[0]}&agentId=${agents[1]}`, ({ agentId }) => agentId !== null],
  [({ agents }) => `agentId=${agents[1]},999000111`, (task, { agents }) => task.agentId === agents[1]],
  [({ channelId }) => `channelId=${channelId}`, (task, { channelId }) => task.channelId === channelId],
  [({ locationId }) => `locationId=${locationId}`, (task, { locationId }) => task.locationId === locationId],
  [() => 'timeToServe=scheduled', ({ timeToServe }) => timeToServe === 'scheduled'],
  [() => 'timeToServe=asap', ({ timeToServe }) => timeToServe === 'asap'],
  [
    () => 'scheduledFrom=2031-01-10T00:00:00Z',
    ({ scheduledAt }) => scheduledAt !== null && scheduledAt >= '2031-01-10',
  ],
  [
    () => 'scheduledTo=2031-01-10T00:00:00Z',
    ({ scheduledAt }) => scheduledAt !== null && scheduledAt <= '2031-01-10T00:00:00.000Z',
  ],
  [
    () => 'scheduledFrom=2031-01-10T02:00:00%2B02:00&scheduledTo=2031-01-14T00:00:00Z',
    ({ scheduledAt }) =>
      scheduledAt !== null && scheduledAt >= '2031-01-10' && scheduledAt <= '2031-01-14T00:00:00.000Z',
  ],
  [() => 'scheduledFrom=2031-01-20T00:00:00Z&scheduledTo=2031-01-10T00:00:00Z', () => false],
  [
    ({ customerId, channelId }) =>
      `status=new,completed,cancelled&taskType=delivery,pickup&customerId=${customerId}&channelId=${channelId}`,
    (task, { customerId, channelId }) =>
      ['new', 'completed', 'cancelled'].includes(task.status) &&
      ['delivery', 'pickup'].includes(task.taskType) &&
      task.customerId === customerId &&
      task.channelId === channelId,
  ],
  [() => 'page=&limit=&sortBy=&customerId=', () => true],
];

test('every filter, alone and combined, finds the tasks it describes and counts them', async () => {
  assert.equal(all.length, 28);
  for (const [query, finds] of FILTERS) {
    const text = query(known);
    const { status, body } = await fixture.api.list(`${text}&limit=100`);
    const expected = all.filter((task) => finds(task, known));
    assert.equal(status, 200, text);
    assert.deepEqual(idsOf(body.data.items), idsOf(expected), text);
    assert.equal(body.data.count, expected.length, text);
    assert.deepEqual(Object.keys(body.data).sort(), ['count', 'items', 'nextCursor']);
  }
});

const SORT_KEYS: Readonly<Record<string, (task: TaskView) => string | number>> = {
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  status: ({ status }) => STATUSES.indexOf(status),
  dueAt: ({ dueAt }) => dueAt,
};

for (const [sortBy, keyOf] of Object.entries(SORT_KEYS)) {
  for (const [sortOrder, sign] of [
    ['ASC', 1],
    ['DESC', -1],
  ] as const) {
    test(`${sortBy} ${sortOrder} sorts, ties by id in the same direction, page after page`, async () => {
      const expected = [...all].sort((a, b) => {
        const [x, y] = [keyOf(a), keyOf(b)];
        return sign * (x < y ? -1 : x > y ? 1 : a.id - b.id);
      });
      const pages: number[] = [];
      for (let page = 1; page <= 6; page += 1) {
        const { body } = await fixture.api.list(`sortBy=${sortBy}&sortOrder=${sortOrder}&limit=5&page=${page}`);
        assert.equal(body.data.count, 28);
        pages.push(...idsOf(body.data.items));
      }
      assert.deepEqual(pages, idsOf(expected));
    });
  }
}

test('without parameters a list holds the newest 20', async () => {
  const { items, count } = (await fixture.api.list()).body.data;
  assert.deepEqual(idsOf(items), idsOf(all).slice(0, 20));
  assert.equal(count, 28);
});

for (const page of ['3', '1000000000', '9007199254740991']) {
  test(`page ${page}, past the end, is empty and still counts`, async () => {
    const { status, body } = await fixture.api.list(`page=${page}&limit=100`);
    assert.equal(status, 200);
    assert.deepEqual(body.data, { items: [], count: 28, nextCursor: null });
    assert.match(body.metadata.position, /^[a-z0-9]+-28$/);
  });
}

const SORTS = 'must be one of: createdAt, updatedAt, status, scheduledAt, dueAt';
const VIOLATIONS: readonly (readonly [query: string, violation: string])[] = [
  ...['0', '101', '-1', '1.5', 'abc', '1e1', '0x10', 'NaN', '%2B5'].map(
    (limit) => [`limit=${limit}`, 'limit must be an integer between 1 and 100'] as const,
  ),
  ...['0', '-1', '1e9', '9007199254740992', '99999999999999999999'].map(
    (page) => [`page=${page}`, 'page must be an integer of 1 or more'] as const,
  ),
  [
    'status=NEW',
    'status.0 must be one of: new, awaiting_assignment, assigned, accepted, in_transit, completed, cancelled',
  ],
  [
    'status=new,boat',
    'status.1 must be one of: new, awaiting_assignment, assigned, accepted, in_transit, completed, cancelled',
  ],
  ['taskType=Delivery', 'taskType.0 must be one of: delivery, pickup, return, transfer, cash_collection, cash_drop'],
  ...['0', '-1', '1.5', 'x', '9007199254740992', "1'--", '1,2'].map(
    (id) => [`customerId=${id}`, 'customerId must be a positive integer'] as const,
  ),
  ['agentId=1,x', 'agentId.1 must be a positive integer'],
  ['channelId=1,2', 'channelId must be a positive integer'],
  ['locationId=0', 'locationId must be a positive integer'],
  ['customerId=1&customerId=1', 'customerId must be given once'],
  ['limit=5&limit=6', 'limit must be given once'],
  ['sortBy=status&sortBy=createdAt', 'sortBy must be given once'],
  ['timeToServe=ASAP', 'timeToServe must be one of: asap, scheduled'],
  ['sortBy=name', `sortBy ${SORTS}`],
  ['sortBy=id;DROP%20TABLE%20tasks', `sortBy ${SORTS}`],
  ['sortOrder=asc', 'sortOrder must be one of: ASC, DESC'],
  ['scheduledFrom=2031-01-01', 'scheduledFrom must be an ISO 8601 date-time with a zone or offset'],
  ['scheduledFrom=0001-01-01T00:00:00Z', 'scheduledFrom must not lie before the year 1000'],
  ['scheduledTo=2031-02-30T00:00:00Z', 'scheduledTo must be an ISO 8601 date-time with a zone or offset'],
  ...['%zz', '%ff', '%00', '%ED%A0%80'].map(
    (text) => [`status=${text}`, 'the query must be percent-encoded UTF-8 without NUL'] as const,
  ),
];

for (const [query, violation] of VIOLATIONS) {
  test(`?${query} is a violation`, async () => {
    const { status, body } = await fixture.api.list(query);
    assert.equal(status, 400);
    assert.deepEqual(body.message, [violation]);
  });
}

test('all violations of a query are named at once', async () => {
  const { body } = await fixture.api.list('limit=0&page=0&sortBy=x&agentId=0');
  assert.deepEqual((body.message as string[]).map((text) => text.split(' ')[0]).sort(), [
    'agentId.0',
    'limit',
    'page',
    'sortBy',
  ]);
});

test('only tasks of the own organization are listed', async () => {
  const other = await fixture.organization();
  assert.deepEqual((await other.api.list()).body.data, { items: [], count: 0, nextCursor: null });
  const task = await other.api.createTask();
  assert.deepEqual((await other.api.list()).body.data, { items: [task], count: 1, nextCursor: null });
  assert.equal((await fixture.api.list('limit=1')).body.data.count, 28);
});

test('an item of a list and a single read are the same, and so are their positions', async () => {
  const { api } = await fixture.organization();
  const made = await api.createTask({
    packages: [{ name: 'b', weight: 0.1 }, { name: 'a' }],
    integrationData: { a: [1.5, 'x'] },
  });
  await api.createTask({
    timeToServe: 'scheduled',
    scheduledAt: '2031-01-01T00:00:00Z',
    pickupLocation: made.location && { address: 'p', latitude: 1, longitude: 1 },
  });
  await api.put(`/tasks/${made.id}/status`, { status: 'cancelled' });
  const list = await api.list();
  assert.equal(list.body.data.items.length, 2);
  for (const item of list.body.data.items) {
    assert.deepEqual((await api.get(`/tasks/${item.id}`)).body.data, item);
  }
  const log = await api.get<{ nextAfter: number }>('/events');
  assert.equal(list.body.metadata.position, log.body.metadata.position);
  assert.ok(list.body.metadata.position.endsWith(`-${log.body.data.nextAfter}`));
  assert.equal(log.body.data.nextAfter, 3);
});

test('a list holds what was acknowledged before it was asked for', async () => {
  const { api } = await fixture.organization();
  await Promise.all(
    Array.from({ length: 30 }, async () => {
      const { id } = await api.createTask();
      assert.ok(idsOf((await api.list('limit=100')).body.data.items).includes(id));
    }),
  );
});

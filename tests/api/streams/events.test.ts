import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

interface Event {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: number;
  readonly data: { readonly task: TaskView };
}

interface EventPage {
  readonly items: readonly Event[];
  readonly count: number;
  readonly nextAfter: number;
}

const read = async (api: ApiClient, query = '') => (await api.get<EventPage>(`/events${query}`)).body.data;
const sequences = (page: EventPage) => page.items.map(({ sequence }) => sequence);

/** Five tasks, the first of them cancelled: six events. */
async function organizationWithEvents() {
  const organization = await fixture.organization();
  const tasks: TaskView[] = [];
  for (let index = 0; index < 5; index += 1) tasks.push(await organization.api.createTask());
  await organization.api.put(`/tasks/${tasks[0]!.id}/status`, { status: 'cancelled' });
  return { ...organization, tasks };
}

test('an event has the one body that webhooks and streams have too', async () => {
  const { api, organizationId, channelId, tasks } = await organizationWithEvents();
  const { items } = await read(api);
  const { id, ...rest } = items[0]!;
  assert.match(id, /^evt_[a-z0-9_]+$/);
  assert.deepEqual(rest, {
    type: 'task.created',
    timestamp: tasks[0]!.createdAt,
    apiVersion: 'v1',
    organizationId,
    channelId,
    sequence: 1,
    data: { task: tasks[0] },
  });
  assert.equal(new Set(items.map((event) => event.id)).size, 6);
  assert.deepEqual((await read(api)).items, items, 'the same for every reading');
});

test('the log counts up without a gap and is read in pages', async () => {
  const { api } = await organizationWithEvents();
  assert.deepEqual(sequences(await read(api)), [1, 2, 3, 4, 5, 6]);
  const pages: EventPage[] = [];
  for (let after = 0; pages.length < 4; after = pages.at(-1)!.nextAfter)
    pages.push(await read(api, `?limit=2&after=${after}`));
  assert.deepEqual(pages.map(sequences), [[1, 2], [3, 4], [5, 6], []]);
  assert.deepEqual(
    pages.map(({ nextAfter, count }) => [nextAfter, count]),
    [
      [2, 2],
      [4, 2],
      [6, 2],
      [6, 0],
    ],
  );
});

test('types narrow the events, and nextAfter passes over the others', async () => {
  const { api, tasks } = await organizationWithEvents();
  const changed = await read(api, '?types=task.status_changed');
  assert.deepEqual([sequences(changed), changed.nextAfter], [[6], 6]);
  assert.equal(changed.items[0]!.data.task.id, tasks[0]!.id);
  assert.deepEqual(sequences(await read(api, '?types=task.created,task.status_changed')), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(sequences(await read(api, '?types=task.created&types=task.delayed')), [1, 2, 3, 4, 5]);
  const none = await read(api, '?types=task.delayed');
  assert.deepEqual(none, { items: [], count: 0, nextAfter: 6 });
  const paged = await read(api, '?types=task.created&limit=3');
  assert.deepEqual([sequences(paged), paged.nextAfter], [[1, 2, 3], 3]);
});

test('an event of a rare type is found behind many others', async () => {
  const { api, organizationId } = await organizationWithEvents();
  const place = 3 * LIMITS.logSearchWindow + 7;
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`
      UPDATE events SET sequence = ${place}, body = replace(body, '"sequence":6,', ${`"sequence":${place},`})
      WHERE organization_id = ${organizationId} AND sequence = 6`;
    await sql`
      INSERT INTO events (organization_id, sequence, at, type, epoch, body)
      SELECT organization_id, n, at, type, epoch, '{}' FROM events, generate_series(6, ${place - 1}::bigint) AS n
      WHERE organization_id = ${organizationId} AND sequence = 1`;
    await sql`UPDATE organization_heads SET last_sequence = ${place} WHERE organization_id = ${organizationId}`;
  });
  const found = await read(api, '?types=task.status_changed');
  assert.deepEqual([sequences(found), found.nextAfter], [[place], place]);
  assert.deepEqual(await read(api, `?types=task.status_changed&after=${place}`), {
    items: [],
    count: 0,
    nextAfter: place,
  });
});

test('reading at the end finds nothing and stays there, and past the end of a restored log is refused', async () => {
  const { api } = await organizationWithEvents();
  assert.deepEqual(await read(api, '?after=6'), { items: [], count: 0, nextAfter: 6 });
  for (const query of ['after=7', 'after=70&limit=2&types=task.delayed']) {
    const { status, body } = await api.get(`/events?${query}`);
    assert.deepEqual(
      [status, body.code, body.message, body.details],
      [410, 'EVENTS_EXPIRED', 'The log ends at 6, before this sequence', { keptAfter: 0 }],
    );
  }
  const { api: fresh } = await fixture.organization();
  assert.deepEqual(await read(fresh), { items: [], count: 0, nextAfter: 0 });
});

test('the log holds the changes of 200 concurrent requests exactly once each, without a gap', async () => {
  const { api } = await fixture.organization();
  const created = await Promise.all(Array.from({ length: 200 }, () => api.createTask()));
  const { items } = await read(api, '?limit=1000');
  assert.deepEqual(
    items.map(({ sequence }) => sequence),
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
  const byId = (a: TaskView, b: TaskView) => a.id - b.id;
  assert.deepEqual(items.map(({ data }) => data.task).sort(byId), created.sort(byId));
  const times = items.map(({ timestamp }) => timestamp);
  assert.deepEqual(times, [...times].sort(), 'time never goes back');
});

test('only events of the own organization are read', async () => {
  const mine = await organizationWithEvents();
  const theirs = await organizationWithEvents();
  const ids = new Set((await read(theirs.api)).items.map(({ id }) => id));
  for (const { id, data } of (await read(mine.api)).items) {
    assert.ok(!ids.has(id));
    assert.equal(data.task.organizationId, mine.organizationId);
  }
});

test('events that are no longer kept are reported as expired, later ones still read', async () => {
  const { api, organizationId } = await organizationWithEvents();
  const forget = (until: number) =>
    withSql(
      fixture.gateway.databaseUrl,
      (sql) => sql`DELETE FROM events WHERE organization_id = ${organizationId} AND sequence <= ${until}`,
    );
  await forget(3);
  const expiredAt = async (query: string, keptAfter: number) => {
    const { status, body } = await api.get(`/events${query}`);
    assert.equal(status, 410, query);
    assert.deepEqual(body, {
      statusCode: 410,
      message: 'Events after this sequence are no longer kept',
      error: 'Gone',
      code: 'EVENTS_EXPIRED',
      details: { keptAfter },
    });
  };
  for (const query of ['', '?after=2', '?after=0&types=task.delayed', '?after=1&limit=1']) await expiredAt(query, 3);
  assert.deepEqual((await api.get('/events?after=7')).body.details, { keptAfter: 3 }, 'beyond the end');
  assert.deepEqual(sequences(await read(api, '?after=3')), [4, 5, 6]);
  await forget(6);
  await expiredAt('?after=5', 6);
  assert.deepEqual((await api.get('/events?after=7')).body.details, { keptAfter: 6 }, 'beyond the end');
  assert.deepEqual(await read(api, '?after=6'), { items: [], count: 0, nextAfter: 6 });
});

for (const [query, violation] of [
  ['after=-1', 'after must be an integer of 0 or more'],
  ['after=x', 'after must be an integer of 0 or more'],
  ['after=9007199254740992', 'after must be an integer of 0 or more'],
  ['after=1&after=2', 'after must be given once'],
  ['limit=0', 'limit must be an integer between 1 and 1000'],
  ['limit=1001', 'limit must be an integer between 1 and 1000'],
  [
    'types=task.created,task.eaten',
    'types.1 must be one of: task.created, task.updated, task.status_changed, task.delayed, task.arrived, task.picked_up, task.eta_updated, task.at_risk, task.rated, package.status_changed, package.scanned, assignment_request.created, assignment_request.accepted, assignment_request.rejected, assignment_request.expired, assignment_request.cancelled, agent.duty_changed, agent.shifts_changed, agent.shift_started, agent.shift_ended, payment.succeeded, payment.failed, payment.refunded',
  ],
]) {
  test(`GET /events?${query} is a violation`, async () => {
    const { status, body } = await fixture.api.get(`/events?${query}`);
    assert.equal(status, 400);
    assert.deepEqual(body.message, [violation]);
  });
}

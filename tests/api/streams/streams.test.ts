import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { hashSecret } from '../../../engine/runtime/secrets.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ApiClient } from '../../support/api-client.ts';
import {
  type EventStreamClient,
  type EventStreamOptions,
  openEventStream,
  type StreamMessage,
  StreamRefused,
} from '../../support/event-stream.ts';
import { type SeededOrganization, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { startTestGateway } from '../../support/system/gateway.ts';
import { useGateway } from '../api-fixture.ts';
import { endsInTime } from './stream-fixture.ts';

const fixture = useGateway({ own: 'further gateways run at its place' });

const open: EventStreamClient[] = [];
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

async function watch(organization: { key: string; organizationId: number }, options: Partial<EventStreamOptions> = {}) {
  const { key, organizationId } = organization;
  const stream = await openEventStream(fixture.gateway.baseUrl, { key, organizationId, ...options });
  open.push(stream);
  return stream;
}

/** Opens a stream and reads its first message, which is `stream.ready`. */
async function watchReady(
  organization: { key: string; organizationId: number },
  options: Partial<EventStreamOptions> = {},
) {
  const stream = await watch(organization, options);
  const ready = await stream.next();
  assert.equal(ready.event, 'stream.ready');
  return { stream, ready };
}

const createMany = async (api: ApiClient, count: number) => {
  for (let index = 0; index < count; index += 1) await api.createTask();
};
const sequencesOf = (messages: readonly StreamMessage[]) => messages.map(({ data }) => data.sequence);

test('a stream opens with its place in the log', async () => {
  const organization = await fixture.organization();
  await createMany(organization.api, 2);
  const { stream, ready } = await watchReady(organization);
  assert.match(String(stream.headers['content-type']), /^text\/event-stream/);
  assert.equal(stream.headers['cache-control'], 'no-store');
  const { position } = (await organization.api.list()).body.metadata;
  assert.equal(ready.data.position, position);
  assert.equal(ready.id, position);
  assert.ok(position.startsWith(`${ready.data.history}-`));
});

test('changes arrive as they are committed, each with its id and the body of GET /events', async () => {
  const organization = await fixture.organization();
  const { stream, ready } = await watchReady(organization);
  const task = await organization.api.createTask();
  await organization.api.put(`/tasks/${task.id}/status`, { status: 'cancelled' });
  const messages = await stream.take(2);
  assert.deepEqual(
    messages.map(({ event }) => event),
    ['task.created', 'task.status_changed'],
  );
  assert.deepEqual(
    messages.map(({ id }) => id),
    [`${ready.data.history}-1`, `${ready.data.history}-2`],
  );
  const { items } = (await organization.api.get<{ items: unknown[] }>('/events')).body.data;
  assert.deepEqual(
    messages.map(({ data }) => data),
    items,
  );
  assert.deepEqual(messages[0]!.data.data.task, task);
});

for (const [by, asked] of [
  ['the header', (position: string) => ({ lastEventId: position })],
  ['the query', (position: string) => ({ query: `lastEventId=${position}` })],
  ['the query beside an empty header', (position: string) => ({ query: `lastEventId=${position}`, lastEventId: '' })],
] as const) {
  test(`a stream resumes by ${by} with nothing lost and nothing twice`, async () => {
    const organization = await fixture.organization();
    const { stream } = await watchReady(organization);
    await createMany(organization.api, 3);
    const [first] = await stream.take(1);
    stream.close();
    await createMany(organization.api, 3);
    const { stream: resumed } = await watchReady(organization, asked(first!.id!));
    await createMany(organization.api, 2);
    assert.deepEqual(sequencesOf(await resumed.take(7)), [2, 3, 4, 5, 6, 7, 8]);
    await assert.rejects(resumed.next(200), /no message/);
  });
}

test('a stream without a position starts at the present', async () => {
  const organization = await fixture.organization();
  await createMany(organization.api, 3);
  const { stream } = await watchReady(organization, { lastEventId: '' });
  await organization.api.createTask();
  assert.deepEqual(sequencesOf(await stream.take(1)), [4]);
});

test('a reader that goes back beyond memory is fed from Postgres', async () => {
  const organization = await fixture.organization();
  await Promise.all(Array.from({ length: 1_200 }, () => organization.api.createTask()));
  const { ready } = await watchReady(organization);
  const { stream } = await watchReady(organization, { lastEventId: `${ready.data.history}-0` });
  await organization.api.createTask();
  assert.deepEqual(
    sequencesOf(await stream.take(1_201)),
    Array.from({ length: 1_201 }, (_, index) => index + 1),
  );
});

for (const [name, position, reason] of [
  ['of another history', () => 'otherhistory-1', 'history_changed'],
  ['from the future', (history: string) => `${history}-99`, 'position_unknown'],
  ['that is none', () => 'nonsense', 'position_unknown'],
  ['that overflows', (history: string) => `${history}-99999999999999999999`, 'position_unknown'],
] as const) {
  test(`a position ${name} is answered by a resync at the present, then live events`, async () => {
    const organization = await fixture.organization();
    await createMany(organization.api, 2);
    const { ready } = await watchReady(organization);
    const { history } = ready.data;
    const { stream } = await watchReady(organization, { lastEventId: position(history) });
    const resync = await stream.next();
    assert.equal(resync.event, 'stream.resync');
    assert.deepEqual([resync.id, resync.data], [`${history}-2`, { reason, position: `${history}-2` }]);
    assert.deepEqual(stream.ids, [`${history}-2`], 'no client has the new position before the reason');
    await organization.api.createTask();
    assert.deepEqual(sequencesOf(await stream.take(1)), [3]);
  });
}

test('a gap that can no longer be filled is a resync, then live events', async () => {
  const organization = await fixture.organization();
  await createMany(organization.api, 5);
  const { stream: first, ready } = await watchReady(organization);
  first.close();
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
    DELETE FROM events WHERE organization_id = ${organization.organizationId} AND sequence <= 3`,
  );
  const { history } = ready.data;
  const { stream } = await watchReady(organization, { lastEventId: `${history}-1` });
  const resync = await stream.next();
  assert.deepEqual(
    [resync.event, resync.data],
    ['stream.resync', { reason: 'events_expired', position: `${history}-5` }],
  );
  await organization.api.createTask();
  assert.deepEqual(sequencesOf(await stream.take(1)), [6]);
  const { stream: later } = await watchReady(organization, { lastEventId: `${history}-3` });
  assert.deepEqual(sequencesOf(await later.take(3)), [4, 5, 6], 'what is kept is still resumed');
});

test('types and taskIds narrow a stream', async () => {
  const organization = await fixture.organization();
  const [one, two, three] = [
    await organization.api.createTask(),
    await organization.api.createTask(),
    await organization.api.createTask(),
  ];
  const { stream: changes, ready } = await watchReady(organization, { query: 'types=task.status_changed' });
  const { stream: some } = await watchReady(organization, { query: `taskIds=${one.id},${three.id}` });
  const both = { query: `taskIds=${two.id}&types=task.created,task.delayed`, lastEventId: `${ready.data.history}-0` };
  const { stream: narrow } = await watchReady(organization, both);
  for (const { id } of [one, two, three]) await organization.api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  assert.deepEqual(sequencesOf(await changes.take(3)), [4, 5, 6]);
  assert.deepEqual(sequencesOf(await some.take(2)), [4, 6]);
  assert.deepEqual(sequencesOf(await narrow.take(1)), [2]);
  await assert.rejects(narrow.next(200), /no message/);
});

test('a stream sees only its own organization', async () => {
  const mine = await fixture.organization();
  const theirs = await fixture.organization();
  const { stream } = await watchReady(mine);
  await createMany(theirs.api, 3);
  const task = await mine.api.createTask();
  const [message] = await stream.take(1);
  assert.deepEqual(
    [message!.data.sequence, message!.data.organizationId, message!.data.data.task.id],
    [1, mine.organizationId, task.id],
  );
});

async function refusalOf(opening: Promise<unknown>): Promise<StreamRefused> {
  const error = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StreamRefused, String(error));
  return error;
}

for (const [query, violation] of [
  [
    'types=task.eaten',
    'types.0 must be one of: task.created, task.updated, task.status_changed, task.delayed, task.arrived, task.picked_up, task.eta_updated, task.at_risk, task.rated, package.status_changed, package.scanned, assignment_request.created, assignment_request.accepted, assignment_request.rejected, assignment_request.expired, assignment_request.cancelled, agent.duty_changed, agent.shifts_changed, agent.shift_started, agent.shift_ended, payment.succeeded, payment.failed, payment.refunded, agent.locations_updated',
  ],
  ['taskIds=1,x', 'taskIds.1 must be a positive integer'],
  ['taskIds=9007199254740992', 'taskIds.0 must be a positive integer'],
  ['lastEventId=a-1&lastEventId=a-2', 'lastEventId must be given once'],
] as const) {
  test(`a stream with ?${query} is a violation`, async () => {
    const { status, text } = await refusalOf(watch(fixture.gateway, { query }));
    assert.equal(status, 400);
    assert.deepEqual((JSON.parse(text) as { message: string[] }).message, [violation]);
  });
}

test('a list and a stream from its position join without a gap while tasks are being made', async () => {
  const organization = await fixture.organization();
  const { api } = organization;
  const made: number[] = [];
  // No more than the list can hold before it is there.
  let room = 90;
  let isEnough = false;
  const making = Promise.all(
    Array.from({ length: 3 }, async () => {
      while (!isEnough) {
        if (made.length < room) made.push((await api.createTask()).id);
        else await delay(1);
      }
    }),
  );
  const untilMade = async (count: number) => {
    while (made.length < count) await delay(1);
  };
  await untilMade(10);
  const { body } = await api.list('limit=100');
  room = Number.POSITIVE_INFINITY;
  const { stream } = await watchReady(organization, { lastEventId: body.metadata.position });
  await untilMade(made.length + 20);
  isEnough = true;
  await making;
  const listed = body.data.items.map(({ id }) => id);
  const streamed = (await stream.take(made.length - listed.length)).map(({ data }) => data.data.task.id);
  assert.ok(listed.length > 0 && streamed.length > 0, 'both have their share');
  assert.deepEqual(
    [...listed, ...streamed].sort((a, b) => a - b),
    made.sort((a, b) => a - b),
  );
  await assert.rejects(stream.next(200), /no message/);
});

test('many readers of one organization all see the same', async () => {
  const organization = await fixture.organization();
  const streams = await Promise.all(Array.from({ length: 50 }, async () => (await watchReady(organization)).stream));
  await Promise.all(Array.from({ length: 20 }, () => organization.api.createTask()));
  const expected = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const stream of streams) assert.deepEqual(sequencesOf(await stream.take(20)), expected);
});

test('a gateway that stops sends its streams elsewhere, and they resume there', async () => {
  const first = await startTestGateway({ place: fixture.gateway.place, environment: { GATEWAY_ID: 'leaving' } });
  const stream = await openEventStream(first.baseUrl, first);
  await stream.next();
  const stopping = first.stop();
  assert.equal((await stream.next()).event, 'stream.reconnect');
  await stream.ended;
  await stopping;
  const task = await fixture.api.createTask();
  const { stream: resumed } = await watchReady(fixture.gateway, { lastEventId: stream.lastEventId! });
  assert.equal((await resumed.take(1))[0]!.data.data.task.id, task.id);
});

for (const [name, revoke] of [
  [
    'its channel is suspended',
    (sql: Sql, { organizationId }: SeededOrganization) =>
      sql`UPDATE channels SET status = 'SUSPENDED' WHERE organization_id = ${organizationId}`,
  ],
  [
    'its key is replaced',
    (sql: Sql, { organizationId }: SeededOrganization) =>
      sql`UPDATE channels SET key_hash = sha256(key_hash) WHERE organization_id = ${organizationId}`,
  ],
  [
    'its organization is no longer active',
    (sql: Sql, { organizationId }: SeededOrganization) =>
      sql`UPDATE organizations SET status = 'inactive' WHERE organization_id = ${organizationId}`,
  ],
  [
    'its user is deactivated',
    (sql: Sql, { organizationId }: SeededOrganization) =>
      sql`UPDATE users SET is_active = false WHERE organization_id = ${organizationId}`,
  ],
] as const) {
  test(`a stream is closed when ${name}`, async () => {
    const organization = await fixture.organization();
    const { stream } = await watchReady(organization);
    await withSql(fixture.gateway.databaseUrl, (sql) => revoke(sql, organization));
    assert.ok(await endsInTime(stream, fixture.api), 'still open');
    await refusalOf(watch(organization));
  });
}

test('a stream goes on when its organization, channel and user get other names', async () => {
  const { organizationId, key, api } = await fixture.organization();
  const { stream } = await watchReady({ key, organizationId });
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`UPDATE organizations SET name = 'Renamed', status = status WHERE organization_id = ${organizationId}`;
    await sql`UPDATE channels SET name = 'Renamed', status = status WHERE organization_id = ${organizationId}`;
    await sql`UPDATE users SET first_name = 'Renamed', role = role WHERE organization_id = ${organizationId}`;
  });
  assert.equal(await endsInTime(stream, fixture.api), false);
  await api.createTask();
  assert.deepEqual(sequencesOf(await stream.take(1)), [1]);
});

test('a stream of a session outlives its access token and ends with the session', async () => {
  const { databaseUrl } = fixture.gateway;
  const { organizationId, api } = await fixture.organization();
  const { userId } = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const key = await seedSession(databaseUrl, organizationId, userId);
  const { stream } = await watchReady({ key, organizationId });
  const { stream: other } = await watchReady({
    key: await seedSession(databaseUrl, organizationId, userId),
    organizationId,
  });
  await withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE sessions SET access_hash = sha256(access_hash) WHERE organization_id = ${organizationId}
        AND access_hash = decode(${hashSecret(key)}, 'hex')`,
  );
  assert.equal(await endsInTime(stream, fixture.api), false, 'a refresh ends no stream');
  assert.equal((await refusalOf(watch({ key, organizationId }))).status, 401, 'but the access token before it');
  await api.createTask();
  assert.deepEqual(sequencesOf(await stream.take(1)), [1]);
  await withSql(
    databaseUrl,
    (sql) => sql`UPDATE sessions SET revoked_at = now() WHERE organization_id = ${organizationId}`,
  );
  assert.ok((await endsInTime(stream, fixture.api)) && (await endsInTime(other, fixture.api)), 'still open');
});

test('a stream is closed when its organization is deleted, and none of another', async () => {
  const [gone, stays] = [await fixture.organization(), await fixture.organization()];
  const { stream } = await watchReady(gone);
  const { stream: other } = await watchReady(stays);
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
      INSERT INTO deleted_organizations (organization_id, name_hash) VALUES (${gone.organizationId}, '')`,
  );
  assert.ok(await endsInTime(stream, fixture.api), 'still open');
  await stays.api.createTask();
  assert.deepEqual(sequencesOf(await other.take(1)), [1]);
});

test('HEAD on a stream answers at once', async () => {
  const { organizationId, key } = fixture.gateway;
  const path = `/api/v1/realtime/organizations/${organizationId}/events`;
  const reply = await fixture.api.raw({ method: 'HEAD', path, headers: { 'x-api-key': key } });
  assert.deepEqual([reply.status, reply.text], [200, '']);
  assert.match(String(reply.headers['content-type']), /^text\/event-stream/);
});

test('as many HEADs as a user may have streams leave room for its streams', async () => {
  const { organizationId } = await fixture.organization();
  const { userId } = await seedUser(fixture.gateway.databaseUrl, organizationId, 'dispatcher');
  const key = await seedSession(fixture.gateway.databaseUrl, organizationId, userId);
  const path = `/api/v1/realtime/organizations/${organizationId}/events`;
  for (let asked = 0; asked <= LIMITS.streamsPerUser; asked += 1) {
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await fixture.api.raw({ method: 'HEAD', path, headers })).status, 200);
  }
  await watchReady({ key, organizationId });
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountView } from '../../../schema/accounts/user.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { startTcpProxy, type TcpProxy } from '../../support/services/tcp-proxy.ts';
import { createTestPlace, startTestGateway, type TestGateway, type TestPlace } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';

/** docs/contract.md §1 "Unknown outcome", for what no actor decides: the connection to Postgres goes, or keeps silent. */

const CONNECTION = 'dispatch administration';

let place: TestPlace;
let proxy: TcpProxy;
let gateway: TestGateway;
let api: ApiClient;

before(async () => {
  place = await createTestPlace({ role: 'org_admin' });
  proxy = await startTcpProxy(place.databaseUrl);
  gateway = await startTestGateway({ place: { ...place, databaseUrl: proxy.url } });
  api = createApiClient(gateway);
});
after(async () => {
  api.close();
  await gateway.stop();
  await proxy.stop();
  await place.drop();
});

async function newUser(): Promise<AccountView> {
  const email = `user${Math.random()}@office.example`;
  return (await api.post<AccountView>('/users', { email, name: 'Ada Lovelace', role: 'dispatcher' })).body.data;
}

/** Holds the user's row, so that a change of it waits, while `work` goes on. */
function holding(userId: number, work: () => Promise<void>): Promise<void> {
  return withSql(place.databaseUrl, async (sql) => {
    await sql.unsafe(`BEGIN; SELECT FROM users WHERE id = ${userId} FOR UPDATE`);
    try {
      await work();
    } finally {
      await sql.unsafe('COMMIT');
    }
  });
}

function waitForChange(): Promise<void> {
  return withSql(place.databaseUrl, (sql) =>
    until('a change waits', async () => {
      const waiting = await sql`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = ${CONNECTION}
          AND wait_event_type = 'Lock'`;
      return waiting.length > 0;
    }),
  );
}

test('a connection that goes in the middle leaves the outcome unknown; a retry with the key finds out', async () => {
  const { id } = await newUser();
  const key = { 'idempotency-key': 'cut' };
  const rename = () => api.patch<AccountView>(`/users/${id}`, { name: 'Renamed' }, key);
  await holding(id, async () => {
    const changing = rename();
    await waitForChange();
    for (const connection of proxy.connections(CONNECTION)) connection.cut();
    const { status, body, headers } = await changing;
    assert.deepEqual([status, body.code, headers['retry-after']], [503, 'OUTCOME_UNKNOWN', '1']);
  });
  const settled = await rename();
  assert.deepEqual([settled.status, settled.body.data.firstName], [200, 'Renamed']);
  const [row] = await withSql(
    place.databaseUrl,
    (sql) => sql<{ version: number }[]>`SELECT version FROM users WHERE id = ${id}`,
  );
  assert.equal(row!.version, 2, 'it was applied once');
});

test('a change that waits too long for its row is given up, and was not applied', async () => {
  const { id } = await newUser();
  await holding(id, async () => {
    const { status, body, headers } = await api.patch(`/users/${id}`, { name: 'Late' });
    assert.deepEqual([status, body.code, headers['retry-after']], [503, 'NOT_APPLIED', '1']);
    const keyed = await api.patch(`/users/${id}`, { name: 'Late' }, { 'idempotency-key': 'late' });
    assert.deepEqual([keyed.status, keyed.body.code], [503, 'OUTCOME_UNKNOWN'], 'an attempt before it may still wait');
  });
  assert.equal((await api.get<AccountView>(`/users/${id}`)).body.data.firstName, 'Ada');
  assert.equal((await api.patch(`/users/${id}`, { name: 'Now' })).status, 200);
});

test('a change that Postgres does not answer is given up before it is written, and is not written later', async () => {
  const { id } = await newUser();
  const silent = proxy.connections(CONNECTION);
  assert.ok(silent.length > 0);
  for (const connection of silent) connection.silence('both');
  const { status, body } = await api.patch(`/users/${id}`, { name: 'Late' }, { 'idempotency-key': 'silence' });
  assert.deepEqual([status, body.code], [503, 'UNAVAILABLE']);
  for (const connection of silent) connection.resume();
  const again = await api.patch<AccountView>(`/users/${id}`, { name: 'Late' }, { 'idempotency-key': 'silence' });
  assert.deepEqual([again.status, again.headers['idempotency-replayed']], [200, undefined]);
});

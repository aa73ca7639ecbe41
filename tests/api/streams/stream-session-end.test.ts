import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { hashSecret } from '../../../engine/runtime/secrets.ts';
import { type EventStreamClient, openEventStream } from '../../support/event-stream.ts';
import { seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { within } from '../../support/within.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

const open: EventStreamClient[] = [];
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

async function watch(caller: { readonly key: string; readonly organizationId: number }): Promise<EventStreamClient> {
  const { key, organizationId } = caller;
  const stream = await openEventStream(fixture.gateway.baseUrl, { key, organizationId });
  open.push(stream);
  assert.equal((await stream.next()).event, 'stream.ready');
  return stream;
}

async function untilEnded(stream: EventStreamClient): Promise<void> {
  let hasEnded = false;
  void stream.ended.then(() => {
    hasEnded = true;
  });
  await until('the stream ends', () => hasEnded);
}

test('a stream ends when its session can be refreshed no more, not with the access token, and that of a key goes on', async () => {
  const { databaseUrl } = fixture.gateway;
  const organization = await fixture.organization();
  const { organizationId } = organization;
  const { userId } = await seedUser(databaseUrl, organizationId, 'dispatcher');
  /** A stream that was opened while its access token was good, and when its times began. */
  const watchSession = (accessMs: number, refreshMs: number | null) =>
    within(accessMs, async () => {
      const key = await seedSession(databaseUrl, organizationId, userId);
      const began = performance.now();
      await withSql(
        databaseUrl,
        (sql) => sql`
          UPDATE sessions SET access_expires_at = now() + ${accessMs} * interval '1 ms',
            refresh_expires_at = now() + ${refreshMs}::int * interval '1 ms'
          WHERE organization_id = ${organizationId} AND access_hash = decode(${hashSecret(key)}, 'hex')`,
      );
      return { began, stream: await watch({ key, organizationId }) };
    });
  const refreshable = await watchSession(4_000, 6_000);
  const single = await watchSession(4_000, null);
  const ofKey = await watch(organization);
  await untilEnded(single.stream);
  const singleMs = performance.now() - single.began;
  assert.ok(singleMs > 3_900, `without a refresh token after ${singleMs} ms`);
  await untilEnded(refreshable.stream);
  const refreshableMs = performance.now() - refreshable.began;
  assert.ok(refreshableMs > 5_900, `with one after ${refreshableMs} ms`);
  await organization.api.createTask();
  assert.equal((await ofKey.take(1))[0]!.data.sequence, 1);
});

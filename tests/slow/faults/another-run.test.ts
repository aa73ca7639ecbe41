import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEventStream } from '../../support/event-stream.ts';
import { seedChannel } from '../../support/seeds/seed.ts';
import { startCrashableSystem } from '../../support/system/crashable-system.ts';

test('a caller that was known under one run of Postgres is looked up again under the next, and then stays', async () => {
  const system = await startCrashableSystem({ ownPostgres: true });
  const { databaseUrl, organizationId, key } = system.place;
  try {
    await system.startGateway();
    const watch = (by: string) => openEventStream(system.baseUrl, { key: by, organizationId });
    const [stream, other] = [await watch(key), await watch((await seedChannel(databaseUrl, organizationId)).key)];
    await system.killPostgres();
    await system.startPostgres();
    for (const { next } of [stream, other]) {
      assert.equal((await next()).event, 'stream.ready');
      await assert.rejects(next(), /the stream has ended/);
    }
    const again = await watch(key);
    assert.equal((await again.next()).event, 'stream.ready');
    await assert.rejects(again.next(3_000), /no message within/, 'it goes on');
    again.close();
  } finally {
    await system.stop();
  }
});

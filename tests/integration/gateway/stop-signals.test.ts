import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openEventStream } from '../../support/event-stream.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createTestPlace, startTestGateway, type TestPlace } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { startWorkersProcess } from '../workers/workers-place.ts';

/** One that was not handled would end the gateway before the other comes. */
const SIGNALS = [['SIGINT'], ['SIGTERM', 'SIGHUP'], ['SIGHUP', 'SIGTERM']] as const;

let place: TestPlace;
before(async () => {
  place = await createTestPlace();
});
after(() => place?.drop());

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

for (const signals of SIGNALS) {
  test(`a gateway drains on ${signals.join(' and ')}`, async (t) => {
    const gateway = await startTestGateway({ place, process: true });
    t.after(() => gateway.stop());
    const stream = await openEventStream(gateway.baseUrl, place);
    await stream.next();
    for (const signal of signals) process.kill(gateway.pid!, signal);
    assert.equal((await stream.next()).event, 'stream.reconnect');
    stream.close();
    await until('it has ended', () => !isAlive(gateway.pid!));
    const leases = await withSql(place.databaseUrl, (sql) => sql`SELECT FROM gateways WHERE lease_expires_at > now()`);
    assert.equal(leases.length, 0, 'it gave its lease up');
  });
}

test('a gateway and workers end, to start again, once the event logs have another history than theirs', async (t) => {
  const { databaseUrl, redisUrl, redisPrefix } = place;
  const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_PREFIX: redisPrefix };
  const [gateway, workers] = await Promise.all([
    startTestGateway({ place, process: true }),
    startWorkersProcess(stores),
  ]);
  t.after(() => Promise.all([gateway.stop(), workers.kill()]));
  await withSql(databaseUrl, (sql) => sql`UPDATE log_history SET history = 'other'`);
  for (const { pid } of [gateway, workers]) await until('it has ended', () => !isAlive(pid!));
  assert.deepEqual(await workers.ended, [1, null]);
  assert.match(gateway.logLines.join('\n'), /"why":"superseded"/);
});

test('workers stop in order on SIGHUP', async (t) => {
  const { databaseUrl, redisUrl, redisPrefix } = place;
  const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_PREFIX: redisPrefix };
  const workers = await startWorkersProcess(stores);
  t.after(() => workers.kill());
  process.kill(workers.pid, 'SIGHUP');
  assert.deepEqual(await workers.ended, [0, null]);
});

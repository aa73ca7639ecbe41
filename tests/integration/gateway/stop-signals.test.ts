import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEventStream } from '../../support/event-stream.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createTestPlace, startTestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { createWorkersPlace, startWorkersProcess } from '../workers/workers-place.ts';

const SIGNALS = [['SIGTERM'], ['SIGINT'], ['SIGHUP'], ['SIGTERM', 'SIGHUP'], ['SIGHUP', 'SIGTERM']] as const;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

for (const signals of SIGNALS) {
  test(`a gateway drains on ${signals.join(' and ')}`, async (t) => {
    const place = await createTestPlace();
    t.after(() => place.drop());
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

test('workers stop in order on SIGHUP', async (t) => {
  const place = await createWorkersPlace(1);
  t.after(() => place.drop());
  const workers = await startWorkersProcess(place.environment);
  t.after(() => workers.kill());
  process.kill(workers.pid, 'SIGHUP');
  assert.deepEqual(await workers.ended, [0, null]);
});

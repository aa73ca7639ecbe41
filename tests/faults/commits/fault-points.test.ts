import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultPoint } from '../../../engine/runtime/fault-points.ts';
import { createApiClient } from '../../support/api-client.ts';
import { Journal, type Operation } from '../../support/journal.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { startCrashableSystem } from '../../support/system/crashable-system.ts';
import { assertKeptPromises } from '../support/final-rows.ts';
import { sendOverHttp } from '../support/journaled-load.ts';

/**
 * Where the gateway ends itself as kill -9 would, and whether the commit of that moment exists afterwards. Each gateway
 * is started with the next point while the last one's retry is still to come, so it must be known whether the retry
 * commits.
 */
const points: readonly (readonly [point: FaultPoint, isThere: boolean | 'either'])[] = [
  ['before-commit-send', false],
  ['after-commit-before-reply', true],
  ['after-commit-send', 'either'],
];

/** The environment of the gateway that ends at the point of this number, at its second new task. */
function faultAt(number: number): Record<string, string> {
  const [point] = points[number] ?? [];
  const retryCommits = number > 0 && points[number - 1]![1] === false;
  return point === undefined ? {} : { FAULT_POINT: `${point}:${retryCommits ? 3 : 2}` };
}

test('a gateway that ends itself at a fault point leaves nothing half done', async (t) => {
  const system = await startCrashableSystem();
  const { place, baseUrl } = system;
  const { databaseUrl, organizationId } = place;
  const client = createApiClient({ baseUrl, key: place.key });
  const send = sendOverHttp(() => [client]);
  const journal = new Journal();
  const make = async (key: string) => {
    const operation: Operation = { key, organizationId, kind: 'create' };
    journal.sent(operation);
    const outcome = await send(operation, 0);
    journal.heard(key, outcome);
    return outcome;
  };
  try {
    await system.startGateway(faultAt(0));
    for (const [number, [point, isThere]] of points.entries()) {
      const [first, second] = [`first-${number}`, `second-${number}`];
      await t.test(`${point.replaceAll('-', ' ')}: the retry gets the one task that was created`, async () => {
        assert.equal((await make(first)).kind, 'acknowledged', 'the first passage is let through');
        assert.equal((await make(second)).kind, 'unknown', 'the gateway ended before it answered');
        await system.killGateway();
        const rows = await tasksNamed(databaseUrl, second);
        if (isThere !== 'either') assert.equal(rows.length, isThere ? 1 : 0);
        await system.startGateway(faultAt(number + 1));
        const [retried, again] = [await make(second), await make(second)];
        assert.ok(retried.kind === 'acknowledged', JSON.stringify(retried));
        assert.deepEqual(again, { ...retried, sequence: again.kind === 'acknowledged' ? again.sequence : 0 });
        assert.deepEqual(await tasksNamed(databaseUrl, second), [retried.taskId], 'one row, the one of the answer');
        if (rows.length > 0) assert.deepEqual(rows, [retried.taskId], 'the one that was there before the retry');
        await assertKeptPromises(journal, databaseUrl);
      });
    }
    await t.test('between taking its shards and loading them: the next gateway has them complete', async () => {
      const { id } = await client.createTask();
      await system.killGateway();
      const epochs = () => withSql(databaseUrl, (sql) => sql`SELECT sum(epoch) AS sum FROM shards`);
      const [before] = await epochs();
      await assert.rejects(system.startGateway({ FAULT_POINT: 'after-takeover-before-load' }));
      const [after] = await epochs();
      assert.ok(Number(after!['sum']) > Number(before!['sum']), 'it had taken the shards');
      await system.startGateway();
      assert.equal((await client.get(`/tasks/${id}`)).body.data.id, id);
      assert.ok((await client.createTask()).id > id);
    });
  } finally {
    client.close();
    await system.stop();
  }
});

async function tasksNamed(databaseUrl: string, name: string): Promise<number[]> {
  const rows = await withSql(databaseUrl, (sql) => sql<{ id: number }[]>`SELECT id FROM tasks WHERE name = ${name}`);
  return rows.map(({ id }) => id);
}

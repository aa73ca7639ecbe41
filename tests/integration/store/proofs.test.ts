import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertProof } from '../../../engine/store/records/proof-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ProofRecord } from '../../../schema/tasks/proof.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createTestPlace, type TestPlace } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';

let place: TestPlace;

before(async () => {
  place = await createTestPlace();
});
after(() => place.drop());

function pinProof(taskId: number, id: number): ProofRecord {
  const { organizationId } = place;
  const by = { actorType: 'channel', actorId: 1, createdAt: '2031-05-01T12:00:00.000Z' } as const;
  return { organizationId, taskId, id, kind: 'pin', contentType: null, bytes: null, ...by };
}

test('of two proofs at one moment, one gets the last place of a task', async () => {
  const taskId = 7;
  const last = LIMITS.proofsPerTask;
  await withSql(place.databaseUrl, async (one) => {
    for (let id = 1; id < last; id += 1) await insertProof(one, pinProof(taskId, id), undefined);
    await one.unsafe('BEGIN');
    assert.equal((await insertProof(one, pinProof(taskId, last), undefined)).length, 1);
    await withSql(place.databaseUrl, async (other) => {
      let isDone = false;
      const second = insertProof(other, pinProof(taskId, last + 1), undefined).then(({ length }) => {
        isDone = true;
        return length;
      });
      // The proof of another task waits for nobody.
      assert.equal((await withSql(place.databaseUrl, (sql) => insertProof(sql, pinProof(8, 1), undefined))).length, 1);
      await until('the second waits or has ended', async () => {
        const waiting = await one`
          SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE NOT l.granted AND l.locktype = 'advisory' AND d.datname = current_database()`;
        return isDone || waiting.length > 0;
      });
      await one.unsafe('COMMIT');
      assert.equal(await second, 0);
    });
    const [row] = await one`SELECT count(*)::int AS count FROM task_proofs WHERE task_id = ${taskId}`;
    assert.equal(row!['count'], last);
  });
});

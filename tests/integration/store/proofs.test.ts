import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { insertProof } from '../../../engine/store/records/proof-store.ts';
import { addProof } from '../../../gateway/administration/administer-proofs.ts';
import type { Administration } from '../../../gateway/administration/open-administration.ts';
import { FairQueue } from '../../../gateway/fair-queue.ts';
import type { ParsedRequest } from '../../../gateway/route.ts';
import type { CallerRole } from '../../../schema/accounts/role.ts';
import type { Answer, Caller, Command } from '../../../schema/commands.ts';
import { type ErrorCode, refusal } from '../../../schema/errors.ts';
import { idempotencyKey } from '../../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ProofInput, ProofRecord } from '../../../schema/tasks/proof.ts';
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

const DRIVER: Caller = { type: 'user', id: 5, channelId: 1, role: 'agent', agentId: 5 };

/** Adds a photo of a task, whose actor answers as `refusals` say, one after another, and then that it knows the proof. */
function addPhoto(taskId: number, refusals: readonly ErrorCode[], key?: string) {
  const { organizationId, databaseUrl } = place;
  const askers: CallerRole[] = [];
  const ask = async (_: number, command: Command): Promise<Answer> => {
    const data = JSON.stringify({ id: taskId, status: 'accepted', taskType: 'delivery' });
    if (command.kind !== 'note-proof') return { ok: true, status: 200, data, sequence: 1 };
    const code = refusals[askers.push(command.caller.role) - 1];
    return code ? { ok: false, refusal: refusal(code) } : { ok: true, status: 200, data: '{}', sequence: 2 };
  };
  const request = {
    identity: { organizationId, caller: DRIVER },
    params: { id: taskId },
    body: { photo: { contentType: 'image/png', bytes: 3, base64: 'AAAA' } },
    idempotency: key === undefined ? undefined : idempotencyKey('user:5 POST /proof', key, 'the photo'),
  } as ParsedRequest<{ id: number }, unknown, ProofInput>;
  return withSql(databaseUrl, async (sql) => {
    const turns = new FairQueue({ atOnce: 1, waiting: 1, waitingOfOne: 1, full: () => refusal('OVERLOADED') });
    const proofs = { sql, turns, clock: systemClock, settled: async () => {} };
    const answer = await addProof({ ask, proofs } as unknown as Administration, request);
    const [row] = await sql`SELECT count(*)::int AS count FROM task_proofs WHERE task_id = ${taskId}`;
    return { outcome: 'refusal' in answer ? answer.refusal.code : answer.status, stored: row!['count'], askers };
  });
}

for (const [index, code] of (['NOT_OWNER', 'NOT_APPLIED', 'OVERLOADED', 'UNAVAILABLE'] as const).entries())
  test(`a proof that is stored is not answered with ${code}, and a repeat has the task know it`, async () => {
    const first = await addPhoto(20 + index, [code], code);
    assert.deepEqual(first, { outcome: 'OUTCOME_UNKNOWN', stored: 1, askers: ['agent'] });
    assert.deepEqual(await addPhoto(20 + index, [], code), { outcome: 201, stored: 1, askers: ['agent'] });
  });

test('a task that its driver loses while he proves it knows the proof', async () => {
  const askers = ['agent', 'system'];
  assert.deepEqual(await addPhoto(31, ['NOT_FOUND']), { outcome: 201, stored: 1, askers });
  assert.deepEqual(await addPhoto(32, ['NOT_FOUND', 'NOT_FOUND']), { outcome: 201, stored: 1, askers });
  const away = await addPhoto(33, ['NOT_FOUND', 'NOT_OWNER'], 'away');
  assert.deepEqual(away, { outcome: 'OUTCOME_UNKNOWN', stored: 1, askers });
});

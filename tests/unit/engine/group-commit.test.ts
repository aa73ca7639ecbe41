import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { OrgBatch } from '../../../engine/org/apply/org-batch.ts';
import { type BatchOwner, GroupCommit } from '../../../engine/org/commit/group-commit.ts';
import type { SettledOutcome } from '../../../engine/org/commit/settler.ts';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { armFaultPoints } from '../../../engine/runtime/fault-points.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { CommitError } from '../../../engine/store/actor/commit-store.ts';

/** Commits that end when the test says how, and owners that note how their batches ended. */
function startGroupCommit(settled: SettledOutcome = 'unknown') {
  const sent: { readonly heads: string; readonly end: (error?: CommitError) => void }[] = [];
  const ended: (readonly [organizationId: number, end: string])[] = [];
  const groupCommit = new GroupCommit({
    store: {
      commit: ({ heads }) =>
        new Promise((resolve, reject) => sent.push({ heads, end: (error) => (error ? reject(error) : resolve()) })),
      stop: async () => {},
    },
    ownership: {
      fencesOf: (shards: Iterable<number>) => [...new Set(shards)].map((shard) => ({ shard, epoch: 1 })),
      renew: async () => {},
    } as never,
    settler: { settle: async (groups: readonly unknown[]) => groups.map(() => settled) } as never,
    clock: systemClock,
    scheduler: systemScheduler,
    random: createRandomSource(),
    log: createLog('test', 'silent'),
    fault: armFaultPoints(undefined),
  });
  const owner = (isLive = true): BatchOwner => ({
    isLive,
    batchCommitted: ({ organizationId }) => ended.push([organizationId, 'committed']),
    batchFailed: ({ organizationId }, { code }) => ended.push([organizationId, code]),
    batchRefused: ({ organizationId }, { failure }) => ended.push([organizationId, failure]),
  });
  /** A batch moves its head from `from` to `to`. */
  const enqueue = (organizationId: number, [from, to]: readonly [number, number], isLive = true) => {
    const batch = new OrgBatch(organizationId, 1, from);
    batch.lastAt = '2026-11-22T12:00:00.000Z';
    batch.lastSequence = to;
    groupCommit.enqueue({ batch, shard: organizationId, owner: owner(isLive) });
    return batch;
  };
  return { groupCommit, sent, ended, enqueue };
}

test('a group whose end nobody can find out fails with OUTCOME_UNKNOWN, and one that was not written with NOT_APPLIED', async () => {
  for (const [failure, code] of [
    ['unknown', 'OUTCOME_UNKNOWN'],
    ['failed', 'NOT_APPLIED'],
  ] as const) {
    const { groupCommit, sent, ended, enqueue } = startGroupCommit();
    enqueue(1, [0, 1]);
    await turn();
    sent[0]!.end(new CommitError(failure, 'planted'));
    await groupCommit.whenIdle();
    assert.deepEqual(ended, [[1, code]]);
  }
});

test('a group that turns out to be written is committed', async () => {
  const { groupCommit, sent, ended, enqueue } = startGroupCommit('committed');
  enqueue(1, [0, 1]);
  await turn();
  sent[0]!.end(new CommitError('unknown', 'planted'));
  await groupCommit.whenIdle();
  assert.deepEqual(ended, [[1, 'committed']]);
});

test('a batch of an actor that was thrown away is not sent', async () => {
  const { groupCommit, sent, ended, enqueue } = startGroupCommit();
  enqueue(1, [0, 1], false);
  enqueue(2, [0, 1]);
  await turn();
  assert.equal(sent.length, 1);
  assert.match(sent[0]!.heads, /"organizationId":2,/);
  assert.doesNotMatch(sent[0]!.heads, /"organizationId":1,/);
  sent[0]!.end();
  await groupCommit.whenIdle();
  assert.deepEqual(ended, [
    [1, 'NOT_APPLIED'],
    [2, 'committed'],
  ]);
});

test('a batch behind that of an actor that was thrown away is sent at once, also when no other organization commits', async () => {
  const { groupCommit, sent, ended, enqueue } = startGroupCommit();
  enqueue(1, [0, 1], false);
  enqueue(1, [0, 1], false);
  enqueue(1, [0, 2]);
  await turn();
  assert.equal(sent.length, 1);
  sent[0]!.end();
  await groupCommit.whenIdle();
  assert.deepEqual(ended, [
    [1, 'NOT_APPLIED'],
    [1, 'NOT_APPLIED'],
    [1, 'committed'],
  ]);
});

test('a batch takes no more once it is sent', async () => {
  const { groupCommit, sent, enqueue } = startGroupCommit();
  const batch = enqueue(1, [0, 1]);
  assert.equal(batch.closed, false);
  await turn();
  assert.equal(batch.closed, true);
  sent[0]!.end();
  await groupCommit.whenIdle();
});

for (const [what, head, isSent] of [
  ['moves the head is followed at once', [0, 1], true],
  ['leaves the head as it is is not followed before it has ended', [1, 1], false],
] as const) {
  test(`a batch on its way that ${what} by a full one of the same organization`, async () => {
    const { groupCommit, sent, enqueue } = startGroupCommit();
    enqueue(1, head);
    await turn();
    enqueue(1, [1, 2]);
    groupCommit.seal(1);
    assert.equal(sent.length, isSent ? 2 : 1);
    sent[0]!.end();
    while (sent.length < 2) await turn();
    sent[1]!.end();
    await groupCommit.whenIdle();
  });
}

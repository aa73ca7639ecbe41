import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LackingTask } from '../../../schema/commands.ts';
import { type AssignmentFixture, startAssignmentFixture } from './assignment-fixture.ts';

const lack = (taskId: number, isHopeless = false): LackingTask => ({
  taskId,
  reason: 'no_eligible_agents',
  isHopeless,
  counts: { declined: 1 },
  nearest: [{ agentId: 4, reason: 'max_tasks', distanceM: 700 }],
});

describe('the history of a task that somebody is looked for', () => {
  let fixture: AssignmentFixture;
  before(async () => {
    fixture = await startAssignmentFixture({ requestTtlSeconds: 30, maxAttempts: 2 });
  });
  after(() => fixture.stop());

  async function offer(taskId: number): Promise<{ readonly agentId: number; readonly requestId: number }> {
    const agentId = await fixture.agent();
    await fixture.propose([{ taskId, agentId }]);
    const requests = await fixture.requests(taskId);
    return { agentId, requestId: requests.at(-1)!.id };
  }

  /** Steps of the task alone: what its requests come to stands between them. */
  async function steps(taskId: number) {
    const history = await fixture.history(taskId);
    return history
      .filter(({ kind }) => kind === 'status_changed')
      .map(({ toStatus, reasonCode, details }) => [toStatus, reasonCode, details]);
  }

  /** The task says why the search failed, and its last entry says the same. */
  async function assertFailed(taskId: number, reason: string, rest: object): Promise<void> {
    const { autoAssignmentStatus, autoAssignmentFailureReason } = await fixture.read(taskId);
    assert.deepEqual([autoAssignmentStatus, autoAssignmentFailureReason], ['failed', reason]);
    const last = (await fixture.history(taskId)).at(-1)!;
    const { changed: _, ...details } = last.details!;
    assert.deepEqual([last.reasonCode, details], [reason, { reason, ...rest }]);
  }

  test('names who was offered it, who let it run out and who turned it down', async () => {
    const { id } = await fixture.task();
    const silent = await offer(id);
    await fixture.pass(31_000);
    const unwilling = await offer(id);
    await fixture.answer(unwilling.requestId, 'reject');
    assert.deepEqual(await steps(id), [
      ['awaiting_assignment', null, null],
      ['assigned', null, { agentId: silent.agentId }],
      ['awaiting_assignment', 'expired', { previousAgentId: silent.agentId }],
      ['assigned', null, { agentId: unwilling.agentId }],
      ['awaiting_assignment', 'rejected', { previousAgentId: unwilling.agentId }],
    ]);
    await assertFailed(id, 'max_attempts_reached', { attempts: 2 });
  });

  test('ends with the reason of the search, beside what the last round lacked', async () => {
    const { id } = await fixture.task();
    await offer(id);
    await fixture.pass(31_000);
    await fixture.propose([], [lack(id, true)]);
    const { reason: lacking, counts, nearest } = lack(id);
    await assertFailed(id, 'all_expired', { attempts: 1, lacking, counts, nearest });
  });

  test('ends with the reason of a search that ran out of time, and why each candidate was passed over', async () => {
    const { id } = await fixture.task();
    await fixture.propose([], [lack(id)]);
    await fixture.pass(901_000);
    const { counts, nearest } = lack(id);
    await assertFailed(id, 'no_eligible_agents', { attempts: 0, counts, nearest });
  });

  test('ends with the reason of its last round, also when that reason is new', async () => {
    const { id } = await fixture.task();
    await fixture.propose([], [{ ...lack(id), reason: 'no_available_agents', counts: {} }]);
    await fixture.pass(1_000);
    await fixture.propose([], [lack(id)]);
    await fixture.pass(901_000);
    const { counts, nearest } = lack(id);
    await assertFailed(id, 'no_eligible_agents', { attempts: 0, counts, nearest });
  });

  test('ends with the reason of a search that no round has seen', async () => {
    const { id } = await fixture.task();
    await fixture.pass(901_000);
    await assertFailed(id, 'no_available_agents', { attempts: 0 });
    assert.deepEqual((await steps(id)).at(-1)![0], 'awaiting_assignment');
  });

  test('ends with the reason of a window that has closed', async () => {
    const { id } = await fixture.task({ windowEnd: new Date(fixture.now() + 5_000).toISOString() });
    await fixture.propose([], [lack(id)]);
    await fixture.pass(6_000);
    const { counts, nearest } = lack(id);
    await assertFailed(id, 'deadline_passed', { attempts: 0, counts, nearest });
  });
});

test('the history names who was the first of many to accept', async () => {
  const fixture = await startAssignmentFixture({ mode: 'broadcast' });
  try {
    const agents = [await fixture.agent(), await fixture.agent()];
    const { id } = await fixture.task();
    await fixture.propose(agents.map((agentId) => ({ taskId: id, agentId })));
    const [, second] = await fixture.requests(id);
    await fixture.answer(second!.id, 'accept');
    const given = (await fixture.history(id)).filter(({ toStatus }) => toStatus === 'assigned');
    assert.deepEqual(
      given.map(({ details }) => details),
      [{ agentId: second!.agentId }],
    );
  } finally {
    await fixture.stop();
  }
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LackingTask } from '../../../schema/assignment/proposed-offer.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { type AssignmentFixture, startAssignmentFixture } from './assignment-fixture.ts';

const lack = (taskId: number, isHopeless = false): LackingTask => ({
  taskId,
  reason: 'no_eligible_agents',
  isHopeless,
  counts: { declined: 1 },
  nearest: [{ agentId: 4, reason: 'max_tasks', distanceM: 700 }],
});

describe('the history of a sought task', () => {
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

  test('the history of a sought task names who was offered it, who let it run out and who turned it down', async () => {
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
    const nearest = [unwilling, silent].map(({ agentId }) => ({ agentId, reason: 'declined', distanceM: null }));
    await assertFailed(id, 'max_attempts_reached', { attempts: 2, counts: { declined: 2 }, nearest });
  });

  test('the history of a sought task ends with the reason of the search, beside what the last round lacked', async () => {
    const { id } = await fixture.task();
    await offer(id);
    await fixture.pass(31_000);
    await fixture.propose([], [lack(id, true)]);
    const { reason: lacking, counts, nearest } = lack(id);
    await assertFailed(id, 'all_expired', { attempts: 1, lacking, counts, nearest });
  });

  test('the history of a sought task ends with the reason of a search that ran out of time, and why each candidate was passed over', async () => {
    const { id } = await fixture.task();
    await fixture.propose([], [lack(id)]);
    await fixture.pass(901_000);
    const { counts, nearest } = lack(id);
    await assertFailed(id, 'no_eligible_agents', { attempts: 0, counts, nearest });
  });

  test('the history of a sought task ends with the reason of its last round, also when that reason is new', async () => {
    const { id } = await fixture.task();
    await fixture.propose([], [{ ...lack(id), reason: 'no_available_agents', counts: {} }]);
    await fixture.pass(1_000);
    await fixture.propose([], [lack(id)]);
    await fixture.pass(901_000);
    const { counts, nearest } = lack(id);
    await assertFailed(id, 'no_eligible_agents', { attempts: 0, counts, nearest });
  });

  test('the history of a sought task ends with the candidates of its very last round, also when these alone have changed', async () => {
    const { id } = await fixture.task();
    await fixture.propose([], [lack(id)]);
    const before = await fixture.events(id);
    const last = {
      counts: { stale_position: 1 },
      nearest: [{ agentId: 5, reason: 'stale_position', distanceM: null }],
    };
    await fixture.propose([], [{ ...lack(id), ...last }]);
    assert.deepEqual(await fixture.events(id), before);
    await fixture.restart();
    await fixture.read(id);
    await fixture.pass(901_000);
    await assertFailed(id, 'no_eligible_agents', { attempts: 0, ...last });
  });

  test('the history of a sought task ends with the agent that it waited for until its time was over', async () => {
    const { id } = await fixture.task();
    const last = { counts: { busy: 1 }, nearest: [{ agentId: 5, reason: 'busy', distanceM: 700 }] };
    await fixture.propose([], [{ ...lack(id), ...last, reason: null }]);
    await fixture.pass(901_000);
    await assertFailed(id, 'no_eligible_agents', { attempts: 0, ...last });
  });

  test('the history of a sought task ends without the candidates of a round before the one that asked somebody', async () => {
    const { id } = await fixture.task();
    await fixture.propose([], [lack(id)]);
    const { agentId } = await offer(id);
    await fixture.pass(31_000);
    await fixture.pass(901_000);
    const nearest = [{ agentId, reason: 'declined', distanceM: null }];
    await assertFailed(id, 'all_expired', { attempts: 1, counts: { declined: 1 }, nearest });
  });

  test('the history of a sought task ends with the reason of a search that no round has seen', async () => {
    const { id } = await fixture.task();
    await fixture.pass(901_000);
    await assertFailed(id, 'no_available_agents', { attempts: 0 });
    assert.deepEqual((await steps(id)).at(-1)![0], 'awaiting_assignment');
  });

  test('the history of a sought task ends with the reason of a window that has closed', async () => {
    const { id } = await fixture.task({ windowEnd: new Date(fixture.now() + 5_000).toISOString() });
    await fixture.propose([], [lack(id)]);
    await fixture.pass(6_000);
    const { counts, nearest } = lack(id);
    await assertFailed(id, 'deadline_passed', { attempts: 0, counts, nearest });
  });
});

describe('a task shows what its search waits for', () => {
  let fixture: AssignmentFixture;
  before(async () => {
    fixture = await startAssignmentFixture({ requestTtlSeconds: 3_600 });
  });
  after(() => fixture.stop());

  const busy = (taskId: number): LackingTask => ({
    ...lack(taskId),
    reason: null,
    counts: { busy: 1 },
    nearest: [{ agentId: 4, reason: 'busy', distanceM: 700 }],
  });

  /** As it is read, and as its last event shows it. */
  async function assertWaits(taskId: number, waitsFor: string, reason: string | null = null): Promise<void> {
    const { search, updatedAt } = await fixture.read(taskId);
    assert.deepEqual([search?.waitsFor, search?.reason], [waitsFor, reason]);
    const shown = (await fixture.told(taskId)).map(({ data }) => data['task'] as Partial<TaskView> | undefined);
    const last = shown.findLast((task) => task)!;
    assert.deepEqual([last.search, last.updatedAt], [search, updatedAt]);
  }

  test('for the next round, a busy agent, a ready task, an eligible agent and an answer', async () => {
    const { id, search } = await fixture.task();
    assert.deepEqual(search, (await fixture.read(id)).search);
    assert.ok(search!.since! < search!.until);
    await assertWaits(id, 'round');
    await fixture.propose([], [busy(id)]);
    await assertWaits(id, 'busy_agent');
    await fixture.pass(31_000);
    await fixture.propose([], [{ ...busy(id), counts: { not_ready: 1 } }]);
    await assertWaits(id, 'ready_time');
    await fixture.pass(31_000);
    await fixture.propose([], [lack(id)]);
    await assertWaits(id, 'eligible_agent', 'no_eligible_agents');
    const agentId = await fixture.agent();
    await fixture.propose([{ taskId: id, agentId }]);
    await assertWaits(id, 'answer');
    const [request] = await fixture.requests(id);
    await fixture.answer(request!.id, 'reject');
    await assertWaits(id, 'round');
    await fixture.propose([{ taskId: id, agentId: await fixture.agent() }]);
    await fixture.answer((await fixture.requests(id)).at(-1)!.id, 'accept');
    assert.equal((await fixture.read(id)).search, null);
  });

  test('for its beginning, when it is scheduled for later', async () => {
    const scheduledAt = new Date(fixture.now() + 86_400_000).toISOString();
    const { id } = await fixture.task({ timeToServe: 'scheduled', scheduledAt });
    await assertWaits(id, 'start');
  });

  test('with an event when that changes, and twice a minute at most', async () => {
    const { id } = await fixture.task();
    for (let second = 0; second < 40; second += 1) {
      await fixture.propose([], [second % 2 === 0 ? busy(id) : lack(id)]);
      fixture.forward(1_000);
    }
    const types = await fixture.events(id);
    assert.deepEqual(types, ['task.created', 'task.status_changed', 'task.updated']);
    await assertWaits(id, 'eligible_agent', 'no_eligible_agents');
  });

  test('and nothing without a search', async () => {
    const { search } = await fixture.task({ autoAssign: false });
    assert.equal(search, null);
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

test('of many who were asked, those without its new skills hear that it is withdrawn, and the task searches on', async () => {
  const fixture = await startAssignmentFixture({ mode: 'broadcast' });
  try {
    const agents = [await fixture.agent(), await fixture.agent()];
    const { organizationId } = fixture.organization;
    await withSql(
      fixture.databaseUrl,
      (sql) => sql`UPDATE agents SET skills = ${sql.json(['lift'])}
        WHERE organization_id = ${organizationId} AND id = ${agents[0]!}`,
    );
    const { id } = await fixture.task();
    await fixture.propose(agents.map((agentId) => ({ taskId: id, agentId })));
    const need = async (requiredSkills: string[]) => {
      // The engine has read neither the task nor its agents yet.
      await fixture.restart();
      const input = { requiredSkills, location: undefined };
      const answer = await fixture.ask({ kind: 'update-task', caller: fixture.staff, taskId: id, input });
      assert.ok(answer.ok);
      const requests = await fixture.requests(id);
      return [(await fixture.read(id)).autoAssignmentStatus, ...requests.map(({ status }) => status)];
    };
    const told = (await fixture.events(id)).length;
    assert.deepEqual(await need(['lift']), ['offered', 'pending', 'cancelled']);
    assert.ok(!(await fixture.sought()).includes(id));
    assert.deepEqual(await need(['lift', 'cold']), ['searching', 'cancelled', 'cancelled']);
    assert.ok((await fixture.sought()).includes(id));
    const withdrawn = ['assignment_request.cancelled', 'task.updated'];
    assert.deepEqual((await fixture.events(id)).slice(told), [...withdrawn, ...withdrawn]);
  } finally {
    await fixture.stop();
  }
});

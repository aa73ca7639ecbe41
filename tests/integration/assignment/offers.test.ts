import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LackingTask } from '../../../schema/assignment/proposed-offer.ts';
import type { Answer, Caller } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type AssignmentFixture, startAssignmentFixture } from './assignment-fixture.ts';

const codeOf = (answer: Answer) => (answer.ok ? answer.status : answer.refusal.code);

const lack = (taskId: number, fields: Partial<LackingTask> = {}): LackingTask => ({
  taskId,
  reason: 'no_eligible_agents',
  isHopeless: false,
  counts: { skills: 1 },
  nearest: [],
  ...fields,
});

describe('sequential offers', () => {
  let fixture: AssignmentFixture;
  before(async () => {
    fixture = await startAssignmentFixture({ maxAttempts: 3, maxTasksPerAgent: 2 });
  });
  after(() => fixture.stop());

  async function offered() {
    const agentId = await fixture.agent();
    const task = await fixture.task();
    await fixture.propose([{ taskId: task.id, agentId }]);
    const [request] = await fixture.requests(task.id);
    return { agentId, task, request: request! };
  }

  test('a task that asks for an agent is new and pending, and known to rounds at once', async () => {
    const task = await fixture.task();
    assert.deepEqual([task.status, task.autoAssignmentStatus], ['new', 'pending']);
    assert.ok((await fixture.sought()).includes(task.id));
  });

  test('an offer assigns the task, asks the agent, and emits an event for each step', async () => {
    const { agentId, task, request } = await offered();
    const { status, agentId: has, autoAssignmentStatus } = await fixture.read(task.id);
    assert.deepEqual([status, has, autoAssignmentStatus], ['assigned', agentId, 'offered']);
    assert.deepEqual(
      [request.status, request.mode, request.attempt, request.agentId],
      ['pending', 'sequential', 1, agentId],
    );
    assert.deepEqual(await fixture.events(task.id), [
      'task.created',
      'task.status_changed',
      'task.status_changed',
      'assignment_request.created',
    ]);
    assert.ok(!(await fixture.sought()).includes(task.id));
  });

  test('acceptance makes it accepted, and a second one changes nothing', async () => {
    const { agentId, task, request } = await offered();
    assert.equal(codeOf(await fixture.answer(request.id, 'accept', fixture.as(agentId))), 200);
    const { status, autoAssignmentStatus, acceptedAt } = await fixture.read(task.id);
    assert.deepEqual([status, autoAssignmentStatus], ['accepted', 'assigned']);
    assert.ok(acceptedAt);
    const before = await fixture.events(task.id);
    assert.equal(codeOf(await fixture.answer(request.id, 'accept', fixture.as(agentId))), 200);
    assert.equal(codeOf(await fixture.answer(request.id, 'reject', fixture.as(agentId))), 'ASSIGNMENT_REQUEST_CLOSED');
    assert.deepEqual(await fixture.events(task.id), before);
    assert.deepEqual(before.slice(-2), ['assignment_request.accepted', 'task.status_changed']);
  });

  test("another agent's request is not there", async () => {
    const { request } = await offered();
    const other = await fixture.agent();
    assert.equal(codeOf(await fixture.answer(request.id, 'accept', fixture.as(other))), 'NOT_FOUND');
    assert.equal(codeOf(await fixture.answer(999_000_111, 'accept')), 'NOT_FOUND');
  });

  test('rejection sets it free to be offered to somebody else, never again to the one who rejected', async () => {
    const { agentId, task, request } = await offered();
    assert.equal(codeOf(await fixture.answer(request.id, 'reject', fixture.as(agentId))), 200);
    const after = await fixture.read(task.id);
    assert.deepEqual(
      [after.status, after.autoAssignmentStatus, after.agentId, after.assignedAt],
      ['awaiting_assignment', 'searching', null, null],
    );
    assert.ok((await fixture.sought()).includes(task.id));
    await fixture.propose([{ taskId: task.id, agentId }]);
    assert.equal((await fixture.read(task.id)).autoAssignmentStatus, 'searching');
    await fixture.propose([{ taskId: task.id, agentId: await fixture.agent() }]);
    assert.equal((await fixture.requests(task.id)).at(-1)!.attempt, 2);
  });

  test('an offer that runs out is as good as rejected, and an answer after its end is refused before any timer', async () => {
    const { agentId, task, request } = await offered();
    await fixture.restart();
    await fixture.read(task.id);
    // Half of its time: the real one passes as well, by seconds on a busy machine.
    await fixture.pass(15_000);
    assert.equal((await fixture.read(task.id)).status, 'assigned');
    await fixture.pass(15_000);
    assert.equal(codeOf(await fixture.answer(request.id, 'accept', fixture.as(agentId))), 'ASSIGNMENT_REQUEST_EXPIRED');
    const { status, autoAssignmentStatus } = await fixture.read(task.id);
    assert.deepEqual([status, autoAssignmentStatus], ['awaiting_assignment', 'searching']);
    assert.equal((await fixture.requests(task.id))[0]!.status, 'expired');
  });

  test('after the last attempt the search fails, and can be started again', async () => {
    const { agentId, task, request } = await offered();
    await fixture.answer(request.id, 'reject', fixture.as(agentId));
    for (let attempt = 2; attempt <= 3; attempt++) {
      const next = await fixture.agent();
      await fixture.propose([{ taskId: task.id, agentId: next }]);
      await fixture.answer((await fixture.requests(task.id)).at(-1)!.id, 'reject', fixture.as(next));
    }
    const failed = await fixture.read(task.id);
    assert.deepEqual(
      [failed.status, failed.autoAssignmentStatus, failed.autoAssignmentFailureReason],
      ['awaiting_assignment', 'failed', 'max_attempts_reached'],
    );
    assert.ok(!(await fixture.sought()).includes(task.id));
    await fixture.ask({ kind: 'search-agent', caller: fixture.staff, taskId: task.id });
    await fixture.propose([{ taskId: task.id, agentId }]);
    assert.equal((await fixture.read(task.id)).agentId, agentId, 'a new search asks everybody again');
  });

  test("a round's proposal is judged by the facts of the moment", async () => {
    const agentId = await fixture.agent({ type: 'bike', maxWeightKg: 10, maxVolumeM3: null, maxPackages: 3 });
    const heavy = { packages: [{ name: 'a', weight: 4, quantity: 2 }] };
    const [first, second, third] = [await fixture.task(heavy), await fixture.task(heavy), await fixture.task()];
    await fixture.propose([first, second, third].map(({ id }) => ({ taskId: id, agentId })));
    assert.equal((await fixture.read(first.id)).agentId, agentId);
    assert.equal((await fixture.read(second.id)).agentId, null, 'too heavy beside the first');
    assert.equal((await fixture.read(third.id)).agentId, agentId);
    const fourth = await fixture.task();
    await fixture.propose([{ taskId: fourth.id, agentId }]);
    assert.equal((await fixture.read(fourth.id)).agentId, null, 'it has as many tasks as it may have');
    const input = { onDuty: false };
    const off = await fixture.agent();
    await fixture.ask({ kind: 'change-duty', caller: fixture.staff, agentId: off, input });
    await fixture.propose([{ taskId: fourth.id, agentId: off }]);
    assert.equal((await fixture.read(fourth.id)).agentId, null, 'off duty');
    await fixture.propose([{ taskId: first.id, agentId: await fixture.agent() }]);
    assert.equal((await fixture.requests(first.id)).length, 1, 'it is offered already');
  });

  test('of two rounds that plan beside each other for one agent, the second finds it with more tasks than it saw', async () => {
    const agentId = await fixture.agent();
    const ids = [(await fixture.task()).id, (await fixture.task()).id] as const;
    await fixture.propose([{ taskId: ids[0], agentId, heldTasks: 0 }]);
    await fixture.propose([{ taskId: ids[1], agentId, heldTasks: 0 }]);
    const agentsOf = async () => Promise.all(ids.map(async (id) => (await fixture.read(id)).agentId));
    assert.deepEqual(await agentsOf(), [agentId, null]);
    await fixture.propose([{ taskId: ids[1], agentId, heldTasks: 1 }]);
    assert.deepEqual(await agentsOf(), [agentId, agentId]);
  });

  test('one agent is asked at a time, however many a round proposes', async () => {
    const task = await fixture.task();
    const agentIds = [await fixture.agent(), await fixture.agent()];
    await fixture.propose(agentIds.map((agentId) => ({ taskId: task.id, agentId })));
    assert.deepEqual(
      (await fixture.requests(task.id)).map(({ agentId }) => agentId),
      agentIds.slice(0, 1),
    );
  });

  test('two scheduled tasks never get one agent at one time, by a round or by hand', async () => {
    const agentId = await fixture.agent();
    const at = (minutes: number) => new Date(fixture.now() + minutes * 60_000 + 86_400_000).toISOString();
    const scheduled = (minutes: number) => ({
      timeToServe: 'scheduled',
      scheduledAt: at(minutes),
      estimatedDuration: 30,
    });
    const [one, beside, behind] = [
      await fixture.task({ ...scheduled(0), autoAssign: false }),
      await fixture.task({ ...scheduled(29), autoAssign: false }),
      await fixture.task({ ...scheduled(30), autoAssign: false }),
    ];
    const assign = async (taskId: number) =>
      codeOf(
        await fixture.ask({
          kind: 'assign-task',
          caller: fixture.staff,
          taskId,
          input: { agentId },
        }),
      );
    assert.deepEqual(
      [await assign(one.id), await assign(beside.id), await assign(behind.id)],
      [200, 'AGENT_SLOT_TAKEN', 200],
    );
  });

  test('a cancelled task withdraws its request, and so does one that is taken away or given by hand', async () => {
    const caller = fixture.staff;
    const ends = [
      (taskId: number) => ({ kind: 'change-task-status', caller, taskId, input: { status: 'cancelled' } }) as const,
      (taskId: number) => ({ kind: 'unassign-task', caller, taskId, input: {} }) as const,
      (taskId: number, agentId: number) => ({ kind: 'assign-task', caller, taskId, input: { agentId } }) as const,
    ];
    for (const end of ends) {
      const { agentId, task, request } = await offered();
      assert.equal(codeOf(await fixture.ask(end(task.id, agentId))), 200);
      assert.equal((await fixture.requests(task.id))[0]!.status, 'cancelled');
      assert.equal(
        codeOf(await fixture.answer(request.id, 'accept', fixture.as(agentId))),
        'ASSIGNMENT_REQUEST_CLOSED',
      );
      assert.equal((await fixture.read(task.id)).autoAssignmentStatus, 'cancelled');
      await fixture.pass(31_000);
      assert.equal((await fixture.requests(task.id)).length, 1);
    }
  });

  test('the step of the agent accepts the request', async () => {
    const { agentId, task } = await offered();
    const accept = (taskId: number) =>
      fixture.ask({
        kind: 'change-task-status',
        caller: fixture.as(agentId),
        taskId,
        input: { status: 'accepted' },
      });
    assert.equal(codeOf(await accept(task.id)), 200);
    assert.equal((await fixture.requests(task.id))[0]!.status, 'accepted');
    assert.equal((await fixture.read(task.id)).autoAssignmentStatus, 'assigned');
  });

  test('nobody is found: why is noted once, and the search ends with the last reason when its time is over', async () => {
    const task = await fixture.task();
    await fixture.propose([], [lack(task.id)]);
    await fixture.propose([], [lack(task.id)]);
    await fixture.propose([], [lack(task.id, { reason: 'capacity_exceeded' })]);
    const noted = (await fixture.history(task.id)).flatMap(({ details }) => details?.['reason'] ?? []);
    assert.deepEqual(noted, ['no_eligible_agents']);
    await fixture.pass(901_000);
    const { status, autoAssignmentStatus, autoAssignmentFailureReason } = await fixture.read(task.id);
    assert.deepEqual(
      [status, autoAssignmentStatus, autoAssignmentFailureReason],
      ['awaiting_assignment', 'failed', 'capacity_exceeded'],
    );
  });

  test('reasons that alternate are emitted now and then, each time with the change', async () => {
    const { id } = await fixture.task();
    const reasons = ['no_eligible_agents', 'capacity_exceeded'] as const;
    // Long enough for a second note, and too short for a third, also with what the proposals themselves take.
    const endAt = fixture.now() + 1.5 * LIMITS.searchNoteMs;
    for (let turn = 0; fixture.now() < endAt; turn += 1) {
      await fixture.propose([], [lack(id, { reason: reasons[turn % 2]! })]);
      fixture.forward(1_000);
    }
    const [, ...told] = await fixture.told(id);
    assert.deepEqual(
      told.map(({ type, data }) => [type, data['changed']]),
      [
        ['task.status_changed', undefined],
        ['task.updated', ['search']],
      ],
    );
    const noted = (await fixture.history(id)).flatMap(({ details }) => details?.['reason'] ?? []);
    assert.deepEqual(noted, ['no_eligible_agents', 'capacity_exceeded']);
  });

  test('when everybody who could take it has turned it down the search ends at once', async () => {
    const { agentId, task, request } = await offered();
    await fixture.answer(request.id, 'reject', fixture.as(agentId));
    await fixture.propose([], [lack(task.id, { isHopeless: true, counts: { declined: 1 } })]);
    const { autoAssignmentStatus, autoAssignmentFailureReason } = await fixture.read(task.id);
    assert.deepEqual([autoAssignmentStatus, autoAssignmentFailureReason], ['failed', 'all_rejected']);
  });

  test('a timer that another one sets is not forgotten with it', async () => {
    const agentId = await fixture.agent();
    const task = await fixture.task({ estimatedDuration: 1, autoAssign: true });
    await fixture.pass(40_000);
    await fixture.propose([{ taskId: task.id, agentId }]);
    // Late after a minute, while the offer is open for some seconds more; a look in between had nothing to do.
    await fixture.pass(1_000);
    await fixture.pass(20_000);
    assert.equal((await fixture.read(task.id)).isDelayed, true);
    const { next, earliest } = await fixture.deadlines();
    assert.ok(next !== null && next <= earliest!, `${next} is known, ${earliest} is due`);
  });

  test('an expired search makes no offers, though no timer has seen its end yet', async () => {
    const agentId = await fixture.agent();
    const task = await fixture.task({ windowEnd: new Date(fixture.now() + 5_000).toISOString() });
    fixture.forward(6_000);
    await fixture.propose([{ taskId: task.id, agentId }]);
    const { autoAssignmentStatus, autoAssignmentFailureReason } = await fixture.read(task.id);
    assert.deepEqual([autoAssignmentStatus, autoAssignmentFailureReason], ['failed', 'deadline_passed']);
    assert.deepEqual(await fixture.requests(task.id), []);
  });

  test('a task that is ready at the end of all time can be searched for', async () => {
    const { autoAssignmentStatus } = await fixture.task({ readyAt: '9999-12-31T23:59:59.000Z' });
    assert.equal(autoAssignmentStatus, 'pending');
  });

  test('a scheduled task begins to look some time before it is due, also without any other traffic', async () => {
    const scheduledAt = new Date(fixture.now() + 7 * 86_400_000).toISOString();
    const task = await fixture.task({ timeToServe: 'scheduled', scheduledAt });
    assert.ok(!(await fixture.sought()).includes(task.id));
    await fixture.restart();
    await fixture.read(task.id);
    await fixture.pass(7 * 86_400_000 - 30 * 60_000 + 1_000);
    const { status, autoAssignmentStatus } = await fixture.read(task.id);
    assert.deepEqual([status, autoAssignmentStatus], ['awaiting_assignment', 'searching']);
    assert.ok((await fixture.sought()).includes(task.id));
  });
});

describe('broadcast', () => {
  let fixture: AssignmentFixture;
  before(async () => {
    fixture = await startAssignmentFixture({ mode: 'broadcast' });
  });
  after(() => fixture.stop());

  test('of 50 agents that accept at once one gets the task and the others get 409', async () => {
    const agents: number[] = [];
    for (let i = 0; i < 50; i++) agents.push(await fixture.agent());
    const task = await fixture.task();
    await fixture.propose(agents.map((agentId) => ({ taskId: task.id, agentId })));
    const open = await fixture.requests(task.id);
    assert.equal(open.length, 50);
    assert.deepEqual((await fixture.read(task.id)).status, 'awaiting_assignment');
    const seen = (caller: Caller) => fixture.ask({ kind: 'read-task', caller, taskId: task.id, show: 'task' });
    assert.equal(codeOf(await seen(fixture.as(agents[0]!))), 200, 'who is asked may look at it');
    assert.equal(codeOf(await seen(fixture.as(await fixture.agent()))), 'NOT_FOUND');
    const answers = await Promise.all(open.map(({ id, agentId }) => fixture.answer(id, 'accept', fixture.as(agentId))));
    const codes = answers.map(codeOf);
    assert.equal(codes.filter((code) => code === 200).length, 1);
    assert.equal(codes.filter((code) => code === 'ASSIGNMENT_ALREADY_TAKEN').length, 49);
    const winner = open[codes.indexOf(200)]!.agentId;
    const taken = await fixture.read(task.id);
    assert.deepEqual([taken.status, taken.agentId, taken.autoAssignmentStatus], ['accepted', winner, 'assigned']);
    const steps = (await fixture.history(task.id)).flatMap(({ toStatus }) => toStatus ?? []);
    assert.deepEqual(steps, ['new', 'awaiting_assignment', 'assigned', 'accepted']);
  });

  test('a decline by one of many is an event of the request alone, and the last one is an event of the task too', async () => {
    const agents = [await fixture.agent(), await fixture.agent()];
    const { id } = await fixture.task();
    await fixture.propose(agents.map((agentId) => ({ taskId: id, agentId })));
    const before = (await fixture.told(id)).length;
    for (const request of await fixture.requests(id))
      assert.equal(codeOf(await fixture.answer(request.id, 'reject')), 200);
    const told = (await fixture.told(id)).slice(before);
    assert.deepEqual(
      told.map(({ type, data }) => [type, data['changed']]),
      [
        ['assignment_request.rejected', undefined],
        ['assignment_request.rejected', undefined],
        ['task.updated', ['autoAssignmentStatus']],
      ],
    );
    assert.ok((await fixture.sought()).includes(id));
  });

  test('an agent whose time is taken by then cannot accept', async () => {
    const agentId = await fixture.agent();
    const at = { timeToServe: 'scheduled', scheduledAt: new Date(Date.now() + 600_000).toISOString() } as const;
    const [one, other] = [await fixture.task(at), await fixture.task(at)];
    await fixture.propose([one, other].map(({ id }) => ({ taskId: id, agentId })));
    const [first] = await fixture.requests(one.id);
    const [second] = await fixture.requests(other.id);
    assert.equal(codeOf(await fixture.answer(first!.id, 'accept', fixture.as(agentId))), 200);
    assert.equal(codeOf(await fixture.answer(second!.id, 'accept', fixture.as(agentId))), 'AGENT_SLOT_TAKEN');
    assert.equal(codeOf(await fixture.answer(second!.id, 'reject', fixture.as(agentId))), 200);
    assert.equal((await fixture.read(other.id)).autoAssignmentStatus, 'searching');
  });

  test('an agent whose vehicle is full then loses its other offers, also after a restart', async () => {
    const agentId = await fixture.agent({ type: 'van', maxWeightKg: 10, maxVolumeM3: null, maxPackages: null });
    const heavy = { packages: [{ name: 'A box', weight: 8 }] };
    const [one, other] = [await fixture.task(heavy), await fixture.task(heavy)];
    await fixture.propose([one, other].map(({ id }) => ({ taskId: id, agentId })));
    const [taken] = await fixture.requests(one.id);
    await fixture.restart();
    assert.equal(codeOf(await fixture.answer(taken!.id, 'accept', fixture.as(agentId))), 200);
    assert.equal((await fixture.requests(other.id))[0]!.status, 'cancelled');
  });
});

test('with autoAccept nobody is asked', async () => {
  const fixture = await startAssignmentFixture({ autoAccept: true });
  try {
    const agentId = await fixture.agent();
    const task = await fixture.task();
    await fixture.propose([{ taskId: task.id, agentId }]);
    const { status, agentId: has, autoAssignmentStatus } = await fixture.read(task.id);
    assert.deepEqual([status, has, autoAssignmentStatus], ['accepted', agentId, 'assigned']);
    assert.equal((await fixture.requests(task.id))[0]!.status, 'accepted');
  } finally {
    await fixture.stop();
  }
});

import type { AssignmentFixture } from './assignment-fixture.ts';

/**
 * Carries out a step of a task on its way to an agent, whether or not it may be taken now; undefined where `what` is
 * another one. `agents` are those who are asked at once.
 */
export function assignmentStep(
  fixture: AssignmentFixture,
  what: string,
  taskId: number,
  agentId: number,
  agents: readonly number[],
): Promise<unknown> | undefined {
  const caller = fixture.staff;
  switch (what) {
    case 'propose':
      return fixture.propose([{ taskId, agentId }]);
    case 'broadcast':
      return fixture.propose(agents.map((one) => ({ taskId, agentId: one })));
    case 'accept':
    case 'reject':
      return answerFirst(fixture, taskId, what);
    case 'assign':
      return fixture.ask({ kind: 'assign-task', caller, taskId, input: { agentId } });
    case 'unassign':
      return fixture.ask({ kind: 'unassign-task', caller, taskId, input: {} });
    case 'search':
      return fixture.ask({ kind: 'search-agent', caller, taskId });
    default:
      return undefined;
  }
}

async function answerFirst(fixture: AssignmentFixture, taskId: number, what: 'accept' | 'reject'): Promise<void> {
  const request = (await fixture.requests(taskId)).find(({ status }) => status === 'pending');
  if (request) await fixture.answer(request.id, what, fixture.as(request.agentId));
}

import type { AssignmentRequestRecord } from '../../../../schema/assignment/assignment.ts';
import { closedRequest } from '../../../domain/assignment/assignment-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { draftRequest, withdrawRequests } from './request-steps.ts';
import { draftStatus, withdrawFromFull } from './task-search.ts';

/** The fields of a task whose search has found an agent. */
export const FOUND = { search: null, autoAssignmentStatus: 'assigned' } as const;

/** Gives the task to the agent of the request, and withdraws the other open requests as taken. */
export function acceptRequest(draft: Draft, request: AssignmentRequestRecord, now: string): void {
  const { task: before } = draft.findTask(request.taskId)!;
  const others = before.search!.open.filter(({ id }) => id !== request.id);
  draftRequest(draft, closedRequest(request, 'accepted', now));
  let task = before;
  if (task.status !== 'assigned') {
    const given = { agentId: request.agentId, courierType: 'internal', courierId: null, courier: null } as const;
    task = draftStatus(draft, task, 'assigned', { ...given, ...FOUND }, now);
  }
  draftStatus(draft, task, 'accepted', FOUND, now);
  withdrawRequests(draft, others, now, 'taken');
  withdrawFromFull(draft, request.agentId, now);
}

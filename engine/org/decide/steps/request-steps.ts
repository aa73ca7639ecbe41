import type { AssignmentRequestRecord } from '../../../../schema/assignment/assignment.ts';
import { closedRequest, type Withdrawal } from '../../../domain/assignment/assignment-machine.ts';
import type { TellRequest } from '../../state/changes.ts';
import type { Draft } from '../../state/draft.ts';

/** Drafts a request in its new state. The task has been drafted before, and the event shows it too. */
export function draftRequest(
  draft: Draft,
  request: AssignmentRequestRecord,
  { details, reasonCode = null }: Pick<TellRequest, 'details' | 'reasonCode'> = {},
): void {
  draft.put({ kind: 'put-request', request });
  draft.put({ kind: 'tell-request', requestId: request.id, taskId: request.taskId, details, reasonCode });
}

/** Withdraws what a task is still asking when it ceases to look; `why` is `taken` when somebody was quicker. */
export function withdrawRequests(
  draft: Draft,
  open: readonly AssignmentRequestRecord[],
  now: string,
  why: Withdrawal = 'withdrawn',
): void {
  for (const request of open) draftRequest(draft, closedRequest(request, 'cancelled', now, why));
}

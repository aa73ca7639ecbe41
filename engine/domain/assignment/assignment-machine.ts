import type {
  AssignmentRequestRecord,
  AssignmentSettings,
  FailureReason,
  RequestStatus,
  TaskSearch,
} from '../../../schema/assignment/assignment.ts';
import { type Refusal, refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { isoOf } from '../shown-time.ts';

/** The reason of a withdrawal: the agent that comes second learns that the task is taken. */
export type Withdrawal = 'taken' | 'withdrawn';

/** The first state of a search, by autoAssign or by request. */
export function newSearch(
  task: Pick<TaskRecord, 'scheduledAt' | 'windowStart' | 'windowEnd' | 'readyAt'>,
  settings: AssignmentSettings,
  now: string,
): Required<TaskSearch> {
  const leadMs = settings.leadMinutes * 60_000;
  const startMs = task.scheduledAt === null ? 0 : Date.parse(task.scheduledAt) - leadMs;
  const nearAt = isoOf(startMs);
  const startsAt = nearAt > now ? [nearAt, task.windowEnd ?? nearAt].sort()[0]! : null;
  // The search for a task that is ready or served later lasts until later.
  const begin = [startsAt ?? now, task.readyAt ?? now, task.windowStart ?? now].sort().at(-1)!;
  const timeoutAt = isoOf(Date.parse(begin) + settings.searchTimeoutSeconds * 1_000);
  // Nobody is sought for a window that has closed before it began.
  const until = task.windowEnd ?? timeoutAt;
  const asked = { attempts: 0, open: [], rejectedBy: [], expiredBy: [] };
  return { since: begin, startsAt, until, ...asked, lacking: null, passedOver: null, noted: null, notedAt: null };
}

/** Whether rounds of the planner have to look at the task. */
export function isSought({ search }: Pick<TaskRecord, 'search'>): boolean {
  return search !== null && search.startsAt === null && search.open.length === 0;
}

/** Whether an agent is being asked to take the task, which it then may look at. */
export function isAsked({ search }: Pick<TaskRecord, 'search'>, agentId: number | null): boolean {
  return agentId !== null && search?.open.some((request) => request.agentId === agentId) === true;
}

/**
 *            accept                       reject
 *   pending  accepted, unless it ran out  rejected, unless it ran out
 *   accepted unchanged                    ASSIGNMENT_REQUEST_CLOSED
 *   rejected ASSIGNMENT_REQUEST_CLOSED    unchanged
 *   expired  ASSIGNMENT_REQUEST_EXPIRED   the same
 *   cancelled ASSIGNMENT_ALREADY_TAKEN when somebody else was quicker, ASSIGNMENT_REQUEST_CLOSED otherwise, to both
 *
 * Whether it ran out is judged by its own end, whether or not a timer has seen that.
 */
export function judgeAnswer(
  request: Pick<AssignmentRequestRecord, 'status' | 'expiresAt' | 'rejectionReason'>,
  answer: 'accept' | 'reject',
  now: string,
): 'answered' | 'unchanged' | Refusal {
  const { status } = request;
  if (status === 'pending') return hasRunOut(request, now) ? refusal('ASSIGNMENT_REQUEST_EXPIRED') : 'answered';
  if (status === 'expired') return refusal('ASSIGNMENT_REQUEST_EXPIRED');
  if (status === 'cancelled' && request.rejectionReason === 'taken') return refusal('ASSIGNMENT_ALREADY_TAKEN');
  const isSame = status === (answer === 'accept' ? 'accepted' : 'rejected');
  return isSame ? 'unchanged' : refusal('ASSIGNMENT_REQUEST_CLOSED', undefined, { status });
}

/** Whether an offer is over, whether or not a timer has seen it. */
export function hasRunOut({ expiresAt }: Pick<AssignmentRequestRecord, 'expiresAt'>, now: string): boolean {
  return expiresAt <= now;
}

/** A request as it is once it no longer waits. */
export function closedRequest(
  open: AssignmentRequestRecord,
  status: Exclude<RequestStatus, 'pending'>,
  now: string,
  reason: string | null = null,
): AssignmentRequestRecord {
  return { ...open, version: open.version + 1, status, respondedAt: now, rejectionReason: reason, updatedAt: now };
}

/** How a request ends when its agent does not take the task. `cancelled`: the agent can no longer take it. */
export type Decline = 'rejected' | 'expired' | 'cancelled';

/** A search after one of its requests was turned down, ran out or was withdrawn from its agent. */
export function afterDecline(search: TaskSearch, { id, agentId }: AssignmentRequestRecord, how: Decline) {
  const open = search.open.filter((other) => other.id !== id);
  if (how === 'cancelled') return { ...search, open };
  return how === 'rejected'
    ? { ...search, open, rejectedBy: [...search.rejectedBy, agentId] }
    : { ...search, open, expiredBy: [...search.expiredBy, agentId] };
}

/** Why a search in which nobody is asked any more ends now; undefined while it goes on. */
export function endOfSearch(
  search: TaskSearch,
  task: Pick<TaskRecord, 'windowEnd'>,
  maxAttempts: number,
  now: string,
): FailureReason | undefined {
  if (search.open.length > 0 || search.startsAt !== null) return undefined;
  if (task.windowEnd !== null && task.windowEnd <= now) return 'deadline_passed';
  const declined = search.rejectedBy.length + search.expiredBy.length;
  if (search.attempts >= maxAttempts || declined >= LIMITS.declinedAgents) return 'max_attempts_reached';
  if (search.until > now) return undefined;
  return wasAsked(search) ? declinedReason(search) : (search.lacking ?? 'no_available_agents');
}

/** The end of a search in which everybody who could take the task has been asked. */
export function declinedReason({ rejectedBy, expiredBy }: TaskSearch): FailureReason {
  return rejectedBy.length >= expiredBy.length ? 'all_rejected' : 'all_expired';
}

export function wasAsked({ rejectedBy, expiredBy }: TaskSearch): boolean {
  return rejectedBy.length + expiredBy.length > 0;
}

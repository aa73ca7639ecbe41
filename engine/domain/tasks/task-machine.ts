import type { CallerRole } from '../../../schema/accounts/role.ts';
import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { AgentRecord } from '../../../schema/fleet/agent.ts';
import {
  isCashType,
  isTerminal,
  type TaskOutcome,
  type TaskRecord,
  type TaskStatus,
} from '../../../schema/tasks/task.ts';

/** The actor of a step; the steps themselves are in docs/contract.md §3. */
const TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  new: ['awaiting_assignment', 'assigned', 'cancelled'],
  awaiting_assignment: ['assigned', 'cancelled'],
  assigned: ['awaiting_assignment', 'accepted', 'cancelled'],
  accepted: ['awaiting_assignment', 'in_transit', 'cancelled'],
  in_transit: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

/** Statuses that no status request reaches, with what does. */
const OWN_ACTION: Readonly<Partial<Record<TaskStatus, string>>> = {
  new: 'by being created',
  awaiting_assignment: 'when a courier is looked for or taken off it',
  assigned: 'by being assigned',
};

/** Steps that a courier may tell twice, for want of an answer to the first time. */
const REPEATABLE: ReadonlySet<TaskStatus> = new Set(['accepted', 'in_transit', 'completed']);

const EDITABLE: readonly TaskStatus[] = ['new', 'awaiting_assignment'];

export interface Actor {
  readonly role: CallerRole;
  readonly agentId: number | null;
}

type JudgedTask = Pick<TaskRecord, 'status' | 'agentId' | 'courierId' | 'childIds'>;

/**
 * `not-found` is the 404 of an unknown id, `forbidden` the plain 403 of a role that may not do this at all,
 * `unchanged` a 200 for a step that was already made.
 */
export type Verdict =
  | { readonly kind: 'not-found' | 'forbidden' | 'unchanged' | 'change' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The statuses that may follow `from` by any request, in lifecycle order. */
function allowedNext(from: TaskStatus): readonly TaskStatus[] {
  return TRANSITIONS[from];
}

function canBecome(from: TaskStatus, to: TaskStatus): boolean {
  return TRANSITIONS[from].includes(to);
}

/** Agents see their own tasks only; everybody else sees those of the organization. */
export function maySee(task: Pick<TaskRecord, 'agentId'>, caller: Actor): boolean {
  return caller.role !== 'agent' || (task.agentId !== null && task.agentId === caller.agentId);
}

/** Integrations see cash tasks, and change nothing about them. Source: docs/contract.md §2. */
export function mayChange(task: Pick<TaskRecord, 'taskType'>, caller: Pick<Actor, 'role'>): boolean {
  return caller.role !== 'integration' || !isCashType(task.taskType);
}

/** Whose tasks a caller's lists are limited to; null is everybody's. Ids are positive: 0 stands for no task at all. */
export function onlyAgentOf({ role, agentId }: Actor): number | null {
  return role === 'agent' ? (agentId ?? 0) : null;
}

/** The step that a role never makes: an agent accepts for itself, or staff accept for it. Source: docs/contract.md §2. */
const NEVER_BY: Readonly<Partial<Record<CallerRole, TaskStatus>>> = { agent: 'cancelled', integration: 'accepted' };

/**
 * PUT /tasks/:id/status. Takes the task as it was found, undefined included: what a role may never do is refused
 * before the look-up, or the difference would tell an agent which foreign ids exist.
 * Refuses with AGENT_REQUIRED, STATUS_DERIVED, INVALID_STATUS_TRANSITION.
 */
export function judgeStatusChange(task: JudgedTask | undefined, to: TaskStatus, caller: Actor): Verdict {
  if (to === NEVER_BY[caller.role]) return { kind: 'forbidden' };
  if (!task || !maySee(task, caller)) return { kind: 'not-found' };
  if (isJob(task) && to !== 'cancelled') return refuse(statusDerived(task.status, to));
  if (to === 'in_transit' && task.agentId === null && task.courierId === null) return refuse(refusal('AGENT_REQUIRED'));
  if (to === task.status && REPEATABLE.has(to)) return { kind: 'unchanged' };
  if (OWN_ACTION[to] || !canBecome(task.status, to)) return refuse(invalidTransition(task.status, to));
  return { kind: 'change' };
}

/**
 * The steps that have requests of their own (assign, unassign, look for a courier) or none (the engine's).
 * Refuses with STATUS_DERIVED, INVALID_STATUS_TRANSITION.
 */
export function checkStep(task: Pick<TaskRecord, 'status' | 'childIds'>, to: TaskStatus): Refusal | undefined {
  if (isJob(task) && to !== 'cancelled') return statusDerived(task.status, to);
  return canBecome(task.status, to) ? undefined : invalidTransition(task.status, to);
}

/**
 * POST /tasks/:id/assign. `unchanged` for the agent who has it already; from anybody else it is taken back first.
 * Refuses with STATUS_DERIVED, INVALID_STATUS_TRANSITION, AGENT_NOT_ACTIVE.
 */
export function judgeAssignment(task: JudgedTask, agent: Pick<AgentRecord, 'id' | 'isActive'>): Verdict {
  if (task.status === 'assigned' && !isJob(task) && task.agentId === agent.id) return { kind: 'unchanged' };
  const refused = checkStep(task, 'assigned');
  if (refused) return refuse(refused);
  return agent.isActive ? { kind: 'change' } : refuse(refusal('AGENT_NOT_ACTIVE', undefined, { agentId: agent.id }));
}

/** POST /tasks/:id/unassign. Refuses with STATUS_DERIVED, INVALID_STATUS_TRANSITION. */
export function checkUnassignment(task: Pick<TaskRecord, 'status' | 'childIds'>): Refusal | undefined {
  const to = 'awaiting_assignment';
  // The system alone takes a task from new to there, when it begins to look for somebody.
  if (task.status !== 'new' || isJob(task)) return checkStep(task, to);
  return invalidTransition(task.status, to, 'Nobody has the task');
}

/** POST /tasks/:id/auto-assign. Refuses with STATUS_DERIVED, INVALID_STATUS_TRANSITION. */
export function judgeSearch(task: Pick<TaskRecord, 'status' | 'childIds'>): Refusal | undefined {
  if (isJob(task)) return statusDerived(task.status, 'awaiting_assignment');
  if (mayUpdate(task.status)) return undefined;
  const { status } = task;
  return invalidTransition(status, 'awaiting_assignment', `Nobody is looked for once a task is ${status}`);
}

/** PATCH of a task, and adding a package to it. Takes the task as it was found; refuses with TASK_NOT_EDITABLE. */
export function judgeUpdate(task: Pick<TaskRecord, 'status' | 'agentId'> | undefined, caller: Actor): Verdict {
  if (caller.role === 'agent') return { kind: 'forbidden' };
  if (!task) return { kind: 'not-found' };
  if (mayUpdate(task.status)) return { kind: 'change' };
  const message = `A task in ${task.status} can no longer be edited`;
  return refuse(refusal('TASK_NOT_EDITABLE', message, { status: task.status, editableIn: EDITABLE }));
}

export function mayUpdate(status: TaskStatus): boolean {
  return EDITABLE.includes(status);
}

type StepFields = Partial<
  Pick<
    TaskRecord,
    | 'agentId'
    | 'courierId'
    | 'courier'
    | 'courierType'
    | 'assignedAt'
    | 'acceptedAt'
    | 'startedAt'
    | 'completedAt'
    | 'cancelledAt'
    | 'awaitingSince'
    | 'arrivedAt'
    | 'etaAt'
    | 'pickupEtaAt'
    | 'pickupArrivedAt'
    | 'pickedUpAt'
    | 'status'
  >
>;

/** Nobody who has the task now has arrived, or was said to. */
export const UNVISITED = { arrivedAt: null, etaAt: null, pickupEtaAt: null, pickupArrivedAt: null } as const;

/** The fields that a step to `to` at the moment `at` sets and clears; the caller adds the new agent. */
export function fieldsOfStep(to: TaskStatus, at: string): StepFields {
  switch (to) {
    case 'awaiting_assignment':
      // Without the courier, or an external one taken off would still count as assigned.
      return {
        status: to,
        agentId: null,
        courierId: null,
        courier: null,
        courierType: 'internal',
        assignedAt: null,
        acceptedAt: null,
        awaitingSince: at,
        ...UNVISITED,
        pickedUpAt: null,
      };
    case 'assigned':
      return { status: to, assignedAt: at, ...UNVISITED, pickedUpAt: null };
    case 'accepted':
      return { status: to, acceptedAt: at };
    case 'in_transit':
      return { status: to, startedAt: at };
    case 'completed':
      return { status: to, completedAt: at };
    case 'cancelled':
      return { status: to, cancelledAt: at };
    default:
      return { status: to };
  }
}

const TIMES_OF_STEPS = [
  'createdAt',
  'awaitingSince',
  'assignedAt',
  'acceptedAt',
  'startedAt',
  'completedAt',
  'cancelledAt',
] as const;

/** Judges when an offline driver says a step happened; ISO 8601 UTC, whose text sorts by time. Undefined or a sentence. */
export function checkOccurredAt(
  task: Pick<TaskRecord, (typeof TIMES_OF_STEPS)[number]>,
  occurredAt: string,
  now: string,
): string | undefined {
  if (occurredAt > now) return 'occurredAt must not be in the future';
  const steps = TIMES_OF_STEPS.map((name) => task[name]).filter((at) => at !== null);
  const previous = steps.sort().at(-1)!;
  return occurredAt < previous ? `occurredAt must not be before the previous step (${previous})` : undefined;
}

/** Judges when a task is to be served; texts as those of checkOccurredAt. Undefined or a sentence. */
export function checkScheduledAt(scheduledAt: string, now: string): string | undefined {
  return scheduledAt > now ? undefined : 'scheduledAt must be in the future';
}

/** Judges when a window ends, as checkScheduledAt does. */
export function checkWindowEnd(windowEnd: string, now: string): string | undefined {
  return windowEnd > now ? undefined : 'windowEnd must be in the future';
}

/** A sentence for each time of a change that has passed. */
export function checkNewTimes(
  { scheduledAt, windowEnd }: { readonly [K in 'scheduledAt' | 'windowEnd']?: string | null | undefined },
  now: string,
): string[] {
  const found = [scheduledAt && checkScheduledAt(scheduledAt, now), windowEnd && checkWindowEnd(windowEnd, now)];
  return found.filter((sentence) => typeof sentence === 'string');
}

/** How a completed task went; its request was validated, so a failed one has a reason. */
export function outcomeOf(input: {
  readonly outcome?: TaskOutcome | null | undefined;
  readonly failureReason?: string | null | undefined;
}): { readonly outcome: TaskOutcome; readonly failureReason: string | null } {
  return input.outcome === 'failed'
    ? { outcome: 'failed', failureReason: input.failureReason ?? null }
    : { outcome: 'succeeded', failureReason: null };
}

function isJob(task: Pick<TaskRecord, 'childIds'>): boolean {
  return task.childIds !== null;
}

function refuse(refused: Refusal): Verdict {
  return { kind: 'refused', refusal: refused };
}

function statusDerived(from: TaskStatus, to: TaskStatus): Refusal {
  return refusal('STATUS_DERIVED', undefined, { from, to, allowed: isTerminal(from) ? [] : ['cancelled'] });
}

/** The refusal of a step, which lists those that may be made. */
export function invalidTransition(from: TaskStatus, to: TaskStatus, why = whyNot(from, to)): Refusal {
  return refusal('INVALID_STATUS_TRANSITION', why, { from, to, allowed: allowedNext(from) });
}

function whyNot(from: TaskStatus, to: TaskStatus): string {
  if (isTerminal(from)) return `The task is already ${from}`;
  if (canBecome(from, to) && OWN_ACTION[to]) return `A task becomes ${to} ${OWN_ACTION[to]}, not by a status request`;
  return `A task in ${from} cannot become ${to}`;
}

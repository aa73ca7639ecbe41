import type { ReattemptTask } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import type { PackageRecord } from '../../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { checkQuota, quotaPeriod } from '../../../domain/quota.ts';
import { checkReattempt, mayHandleExceptions } from '../../../domain/tasks/exceptions.ts';
import { goesAlong } from '../../../domain/tasks/package-machine.ts';
import { requirementsAfter } from '../../../domain/tasks/requirements.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { checkNewTimes } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { rule, taskById } from '../rule.ts';
import { newTask } from '../steps/new-task.ts';
import { currentPayment, giveUpPayment } from '../steps/payment-steps.ts';
import { tellUpdated } from '../steps/tell-updated.ts';

export const reattemptTaskRule = rule<ReattemptTask>({
  needs(needed, { taskId }) {
    needed.task(taskId);
    needed.paymentOf(taskId);
  },
  task: taskById,
  decide: decideReattemptTask,
});

/**
 * POST /tasks/:id/reattempt: the order of a failed task once more, or its packages back to where they came from. Refuses,
 * in this order: 403 for others than staff; 400 for times that have passed; 404; 409 STATUS_DERIVED, TASK_NOT_FAILED,
 * TASK_ALREADY_REATTEMPTED, TASK_NOT_RETURNABLE; 403 PACKAGE_LIMIT_EXCEEDED.
 */
export function decideReattemptTask(draft: Draft, command: ReattemptTask, context: DecideContext): Decision {
  const { taskId, input, caller } = command;
  const { now } = context;
  if (!mayHandleExceptions(caller)) return refuse(refusal('FORBIDDEN'));
  const late = checkNewTimes(input, now);
  if (late.length > 0) return violate(...late);
  const facts = draft.findTask(taskId);
  if (!facts) return refuse(notFound('Task', taskId));
  const { task: before } = facts;
  const refused = checkReattempt(before, { isReturn: input.returnToPickup === true });
  if (refused) return refuse(refused);
  const period = quotaPeriod('tasks', now);
  const used = draft.usedOf('tasks', period);
  const overQuota = checkQuota('tasks', draft.organization.limits.tasks, used, 1, now);
  if (overQuota) return refuse(overQuota);
  draft.put({ kind: 'count-usage', resource: 'tasks', period, used: used + 1 });

  const id = context.nextId('task');
  const current = currentPayment(draft, before);
  // The customer is not to pay for the failed task any more, and nothing is collected twice.
  if (current?.status === 'pending') giveUpPayment(draft, current, 'superseded', now);
  const moved = movePackages(draft, facts, id, now);
  const left = facts.packages.filter(({ id: own }) => !moved.some((record) => record.id === own));
  const changed = moved.length > 0 ? ['nextTaskId', 'packages'] : ['nextTaskId'];
  draft.put({ kind: 'put-task', task: changedTask(before, { nextTaskId: id }, now), packages: left });
  tellUpdated(draft, taskId, changed, { kind: 'updated', details: { changed, nextTaskId: id } });

  const task = nextAttempt(draft, before, { id, input }, context);
  const isPaid = current?.status === 'succeeded' && !input.returnToPickup;
  const places = placesOf(facts, input);
  draft.put({ kind: 'put-task', task: { ...task, paymentId: isPaid ? current.id : null }, ...places, packages: moved });
  const details = { previousTaskId: taskId, attempt: task.attempt };
  draft.put({ kind: 'tell', type: 'task.created', taskId: id, step: { kind: 'created', toStatus: 'new', details } });
  return done('task', id, 201);
}

/** The same order, without the times and the agent of the failed attempt. */
function nextAttempt(
  draft: Draft,
  before: TaskRecord,
  { id, input }: { readonly id: number; readonly input: ReattemptTask['input'] },
  context: DecideContext,
): TaskRecord {
  const isReturn = input.returnToPickup === true;
  const { name, code, amountMinor, currency, locationId, pickupLocationId, channelId } = before;
  const order = {
    // A name that was made of the code would name the failed task.
    name: name === code ? null : name,
    taskType: isReturn ? ('return' as const) : before.taskType,
    timeToServe: input.scheduledAt ? ('scheduled' as const) : ('asap' as const),
    scheduledAt: input.scheduledAt,
    windowStart: input.windowStart,
    windowEnd: input.windowEnd,
    description: before.description,
    notes: before.notes,
    integrationData: before.integrationData as Record<string, unknown> | null,
    preferredAgentId: before.preferredAgentId,
    estimatedDuration: before.estimatedDuration,
    requiredSkills: before.requiredSkills as string[] | null,
  };
  const links = {
    id,
    // It stands alone: a job that has ended takes no more children.
    parentId: null,
    childIds: null,
    customerId: before.customerId,
    locationId: isReturn ? pickupLocationId : locationId,
    pickupLocationId: isReturn ? locationId : pickupLocationId,
  };
  // The PIN is the customer's, who is not there when goods come back.
  const requirements = requirementsAfter(before.requirements, isReturn ? { pin: false } : null);
  const attempt = { attempt: before.attempt + 1, previousTaskId: before.id };
  return { ...newTask(draft, order, links, channelId, context), amountMinor, currency, ...attempt, requirements };
}

function placesOf({ location, pickupLocation }: TaskFacts, { returnToPickup }: ReattemptTask['input']) {
  return returnToPickup ? { location: pickupLocation, pickupLocation: location } : { location, pickupLocation };
}

const AGAIN = { status: 'pending', scannedAt: null } as const;

/** Moves the packages that the next attempt is about; they start again. */
function movePackages(draft: Draft, { task, packages }: TaskFacts, taskId: number, now: string): PackageRecord[] {
  return packages
    .filter((record) => goesAlong(record, task))
    .map((before) => {
      const record = { ...before, version: before.version + 1, taskId, ...AGAIN, updatedAt: now };
      draft.put({ kind: 'put-package', record, leaves: task.id });
      return record;
    });
}

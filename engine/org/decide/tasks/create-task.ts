import type { Caller, CreateTask } from '../../../../schema/commands.ts';
import { notFound, type Refusal, refusal } from '../../../../schema/errors.ts';
import type { CreateTaskInput, TaskInput } from '../../../../schema/tasks/create-task.ts';
import { isCashType, isTerminal } from '../../../../schema/tasks/task.ts';
import { parseAmount } from '../../../domain/money/money.ts';
import { checkQuota, quotaPeriod } from '../../../domain/quota.ts';
import { checkNewChildren } from '../../../domain/tasks/job.ts';
import { wasDelivered } from '../../../domain/tasks/package-machine.ts';
import { checkScheduledAt, checkWindowEnd, mayChange } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { demandOfTasks, ORDINARY } from '../id-demand.ts';
import { rule } from '../rule.ts';
import { checkFamilySize, checkTextBesideBody } from '../steps/family-size.ts';
import { followChildren } from '../steps/job-upkeep.ts';
import { draftTask } from '../steps/new-task.ts';

export const createTaskRule = rule<CreateTask>({
  needs: (needed, { input, caller }) => needed.newTask(input, caller.channelId),
  ids: ({ input }) => (input.children ? demandOfTasks([input]) : ORDINARY),
  decide: decideCreateTask,
});

/**
 * POST /tasks: a task, a child of a job, or a job with its children, all or nothing. Refuses, in this order: 403 for an
 * agent; 400 for a `scheduledAt` or `windowEnd` that has passed and for an amount that its currency does not allow; 404 for the first
 * unknown id in field order; 409 TASK_CODE_TAKEN, PACKAGE_ATTACHED, WAREHOUSE_INACTIVE, INVALID_PARENT, TASK_TOO_LARGE;
 * 403 PACKAGE_LIMIT_EXCEEDED.
 */
export function decideCreateTask(draft: Draft, { input, caller }: CreateTask, context: DecideContext): Decision {
  const children = input.children ?? [];
  // An agent that is searched for a job is searched for each of its children, unless a child says otherwise.
  const wanted = [input, ...children.map((child) => ({ ...child, autoAssign: child.autoAssign ?? input.autoAssign }))];
  if (caller.role === 'agent') return refuse(refusal('FORBIDDEN'));
  const violations = violationsOf(draft, input, children, context.now);
  if (violations.length > 0) return violate(...violations);
  const problem =
    firstOf(wanted, (one) => missingRecord(draft, one, caller.channelId)) ??
    missingParent(draft, input) ??
    firstOf(wanted, (one) => conflict(draft, one, caller)) ??
    repeated(wanted) ??
    parentProblem(draft, input) ??
    checkTextBesideBody(draft, input);
  if (problem) return refuse(problem);

  const period = quotaPeriod('tasks', context.now);
  const used = draft.usedOf('tasks', period);
  const overQuota = checkQuota('tasks', draft.organization.limits.tasks, used, wanted.length, context.now);
  const parentId = input.parentId ?? null;
  // The packages that validation lets one task have keep it within the bound.
  const mayBeTooLarge = parentId !== null || wanted.length > 1 || input.packageIds != null;
  if (overQuota && !mayBeTooLarge) return refuse(overQuota);
  draft.put({ kind: 'count-usage', resource: 'tasks', period, used: used + wanted.length });

  const ids = wanted.map(() => context.nextId('task'));
  const [id, ...childIds] = ids as [number, ...number[]];
  let overCustomers: Refusal | undefined;
  for (const [index, one] of wanted.entries()) {
    const place = { id: ids[index]!, parentId: index === 0 ? parentId : id };
    const family = { ...place, childIds: index === 0 && childIds.length > 0 ? childIds : null };
    const refused = draftTask(draft, one, family, caller, context);
    overCustomers ??= refused;
  }
  for (const taskId of ids) {
    draft.put({ kind: 'tell', type: 'task.created', taskId, step: { kind: 'created', toStatus: 'new' } });
  }
  if (parentId !== null) followChildren(draft, parentId, context.now, id);
  // A task is drafted also where a quota refuses it: one that is too large is refused for that.
  const tooLarge = mayBeTooLarge ? checkFamilySize(draft, id) : undefined;
  const refused = tooLarge ?? overQuota ?? overCustomers;
  return refused ? refuse(refused) : done('task', id, 201);
}

function firstOf(wanted: readonly TaskInput[], judge: (input: TaskInput) => Refusal | undefined): Refusal | undefined {
  for (const input of wanted) {
    const problem = judge(input);
    if (problem) return problem;
  }
  return undefined;
}

/** The faults by the time and by the organization's settings, which validation does not know. */
function violationsOf(draft: Draft, input: TaskInput, children: readonly TaskInput[], now: string): string[] {
  const found: string[] = [];
  const judge = (one: TaskInput, path: string) => {
    for (const violated of [scheduleViolation(one, now), windowViolation(one, now), amountViolation(draft, one)])
      if (violated) found.push(path + violated);
  };
  judge(input, '');
  for (const [index, child] of children.entries()) judge(child, `children.${index}.`);
  return found;
}

function scheduleViolation({ timeToServe, scheduledAt }: TaskInput, now: string): string | undefined {
  return timeToServe === 'scheduled' ? checkScheduledAt(scheduledAt!, now) : undefined;
}

function windowViolation({ windowEnd }: TaskInput, now: string): string | undefined {
  return windowEnd ? checkWindowEnd(windowEnd, now) : undefined;
}

function amountViolation(draft: Draft, { taskType, amount, currency }: TaskInput): string | undefined {
  if (!isCashType(taskType) || amount == null) return undefined;
  const parsed = parseAmount(amount, currency ?? draft.organization.currency);
  return 'violation' in parsed ? parsed.violation : undefined;
}

function missingRecord(draft: Draft, input: TaskInput, ownChannelId: number): Refusal | undefined {
  const { customerId, locationId, pickupWarehouseId, channelId, packageIds, preferredAgentId } = input;
  if (customerId && !draft.findCustomer(customerId)) return notFound('Customer', customerId);
  if (locationId && !draft.findLocation(locationId)) return notFound('Location', locationId);
  if (pickupWarehouseId && !draft.findWarehouse(pickupWarehouseId)) return notFound('Warehouse', pickupWarehouseId);
  if (channelId && channelId !== ownChannelId && !draft.hasChannel(channelId)) return notFound('Channel', channelId);
  const unknownPackage = packageIds?.find((id) => !draft.findPackage(id));
  if (unknownPackage) return notFound('Package', unknownPackage);
  if (preferredAgentId && !draft.findAgent(preferredAgentId)) return notFound('Agent', preferredAgentId);
  return undefined;
}

function missingParent(draft: Draft, { parentId }: CreateTaskInput): Refusal | undefined {
  return parentId && !draft.findTask(parentId) ? notFound('Task', parentId) : undefined;
}

function parentProblem(draft: Draft, { parentId }: CreateTaskInput): Refusal | undefined {
  return parentId ? checkNewChildren(draft.findTask(parentId)!.task, 1) : undefined;
}

function conflict(
  draft: Draft,
  { code, packageIds, pickupWarehouseId }: TaskInput,
  caller: Caller,
): Refusal | undefined {
  if (code && draft.hasTaskCode(code)) return refusal('TASK_CODE_TAKEN', undefined, { code });
  const attached = packageIds?.find((id) => !isFree(draft, id, caller));
  if (attached) return refusal('PACKAGE_ATTACHED', undefined, { packageId: attached });
  if (pickupWarehouseId && !draft.findWarehouse(pickupWarehouseId)!.warehouse.isActive) {
    return refusal('WAREHOUSE_INACTIVE', undefined, { warehouseId: pickupWarehouseId });
  }
  return undefined;
}

/** A package can move when it has no task, or when its task has ended, it was not delivered, and the caller may take it. */
function isFree(draft: Draft, id: number, caller: Caller): boolean {
  const { record, owner } = draft.findPackage(id)!;
  return owner === null || (isTerminal(owner.status) && !wasDelivered(record.status) && mayChange(owner, caller));
}

/** The tasks of one job may not claim the same code or package. */
function repeated(wanted: readonly TaskInput[]): Refusal | undefined {
  if (wanted.length === 1) return undefined;
  const codes = wanted.flatMap(({ code }) => code ?? []);
  const code = codes.find((one, index) => codes.indexOf(one) !== index);
  if (code !== undefined) return refusal('TASK_CODE_TAKEN', undefined, { code });
  const packageIds = wanted.flatMap((one) => [...new Set(one.packageIds)]);
  const packageId = packageIds.find((one, index) => packageIds.indexOf(one) !== index);
  return packageId === undefined ? undefined : refusal('PACKAGE_ATTACHED', undefined, { packageId });
}

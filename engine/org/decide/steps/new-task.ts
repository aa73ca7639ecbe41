import type { Caller } from '../../../../schema/commands.ts';
import type { Refusal } from '../../../../schema/errors.ts';
import { cutText, isBlank } from '../../../../schema/fields/fields.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { TaskInput } from '../../../../schema/tasks/create-task.ts';
import type { PackageInput, PackageRecord } from '../../../../schema/tasks/package.ts';
import { isCashType, type TaskRecord } from '../../../../schema/tasks/task.ts';
import { newSearch } from '../../../domain/assignment/assignment-machine.ts';
import { parseAmount } from '../../../domain/money/money.ts';
import { barcodeOf, requirementsAfter, usualRequirements } from '../../../domain/tasks/requirements.ts';
import { changedTask, deadlineOf } from '../../../domain/tasks/task-deadline.ts';
import { UNVISITED } from '../../../domain/tasks/task-machine.ts';
import { BASE64_URL, CROCKFORD_BASE32 } from '../../../runtime/random.ts';
import type { Draft } from '../../state/draft.ts';
import type { DecideContext } from '../decision.ts';
import { matchCustomer } from './customer-match.ts';
import { draftLocation } from './new-location.ts';
import { settingsOf } from './task-search.ts';
import { tellUpdated } from './tell-updated.ts';

const CODE_CHARS = 10;
const TRACKING_TOKEN_CHARS = 22;

/** Where a task stands in its job. */
export type Family = Pick<TaskRecord, 'id' | 'parentId' | 'childIds'>;

/**
 * Drafts a task whose references have been checked, with its customer, locations and packages; the caller drafts its
 * event. Refuses 403 PACKAGE_LIMIT_EXCEEDED for one customer too many.
 */
export function draftTask(
  draft: Draft,
  input: TaskInput,
  family: Family,
  caller: Caller,
  context: DecideContext,
): Refusal | undefined {
  const matched = input.customer || input.customerId ? matchCustomer(draft, input, context) : undefined;
  const location = input.locationId
    ? draft.findLocation(input.locationId)!
    : draftLocation(draft, input.location, family.id, context);
  const pickupLocation = input.pickupWarehouseId
    ? draft.findWarehouse(input.pickupWarehouseId)!.location
    : draftLocation(draft, input.pickupLocation, family.id, context);
  const links = {
    customerId: matched && 'customer' in matched ? matched.customer.id : null,
    locationId: location?.id ?? null,
    pickupLocationId: pickupLocation?.id ?? null,
  };
  const task = newTask(draft, input, { ...family, ...links }, caller.channelId, context);
  const packages = (input.packages ?? []).map((item) => draftPackage(draft, item, task.id, context));
  if (input.packageIds) packages.push(...movePackages(draft, [...new Set(input.packageIds)], task.id, context.now));
  packages.sort((a, b) => a.id - b.id);
  draft.put({ kind: 'put-task', task, location, pickupLocation, packages });
  return matched && 'refusal' in matched ? matched.refusal : undefined;
}

/** A new package of a task. */
export function draftPackage(draft: Draft, input: PackageInput, taskId: number, context: DecideContext): PackageRecord {
  const name = input.name && !isBlank(input.name) ? input.name : cutText(input.description!, LIMITS.shortTextChars);
  const record: PackageRecord = {
    organizationId: draft.organizationId,
    id: context.nextId('package'),
    version: 1,
    taskId,
    name,
    description: input.description && !isBlank(input.description) ? input.description : name,
    quantity: input.quantity ?? 1,
    weight: input.weight ?? null,
    width: input.width ?? null,
    height: input.height ?? null,
    length: input.length ?? null,
    isFragile: input.isFragile ?? false,
    barcode: barcodeOf(input.barcode),
    notes: input.notes ?? null,
    status: 'pending',
    createdAt: context.now,
    updatedAt: context.now,
    scannedAt: null,
  };
  draft.put({ kind: 'put-package', record, leaves: null });
  return record;
}

type Links = Family & Pick<TaskRecord, 'customerId' | 'locationId' | 'pickupLocationId'>;

/** A new task, without its belongings. */
export function newTask(
  draft: Draft,
  input: TaskInput,
  links: Links,
  ownChannelId: number,
  context: DecideContext,
): TaskRecord {
  const { now, random } = context;
  const code = input.code ?? `TSK-${random.text(CODE_CHARS, CROCKFORD_BASE32)}`;
  const timeToServe = input.timeToServe ?? 'asap';
  const scheduledAt = timeToServe === 'scheduled' ? input.scheduledAt! : null;
  const estimatedDuration = input.estimatedDuration ?? null;
  const search = input.autoAssign && links.childIds === null ? firstSearch(draft, input, scheduledAt, now) : null;
  const windowEnd = input.windowEnd ?? null;
  const timed = { timeToServe, scheduledAt, createdAt: now, estimatedDuration, windowEnd, search };
  return {
    organizationId: draft.organizationId,
    id: links.id,
    version: 1,
    name: input.name ?? code,
    code,
    taskType: input.taskType,
    status: 'new',
    timeToServe,
    scheduledAt,
    assignedAt: null,
    acceptedAt: null,
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
    description: input.description ?? null,
    notes: input.notes ?? null,
    customerId: links.customerId,
    locationId: links.locationId,
    pickupLocationId: links.pickupLocationId,
    agentId: null,
    courierType: 'internal',
    courierId: null,
    courier: null,
    paymentId: null,
    channelId: input.channelId ?? ownChannelId,
    parentId: links.parentId,
    childIds: links.childIds,
    integrationData: input.integrationData ?? null,
    autoAssignmentStatus: search ? 'pending' : 'not_requested',
    autoAssignmentFailureReason: null,
    search,
    preferredAgentId: input.preferredAgentId ?? null,
    readyAt: input.readyAt ?? null,
    windowStart: input.windowStart ?? null,
    windowEnd,
    estimatedDuration,
    requiredSkills: input.requiredSkills ?? null,
    ...moneyOf(draft, input),
    outcome: null,
    failureReason: null,
    trackingToken: random.text(TRACKING_TOKEN_CHARS, BASE64_URL),
    ...NOTHING_DONE,
    deadlineAt: deadlineOf({ ...timed, status: 'new', delayedAt: null }),
    createdAt: now,
    updatedAt: now,
    awaitingSince: null,
    ...FIRST_ATTEMPT,
    contact: null,
    requirements: requirementsAfter(usualRequirements(draft.organization.settings), input.requirements),
    movingWhileOpen: false,
  };
}

function firstSearch(draft: Draft, input: TaskInput, scheduledAt: string | null, now: string) {
  const { windowStart = null, windowEnd = null, readyAt = null } = input;
  return newSearch({ scheduledAt, windowStart, windowEnd, readyAt }, settingsOf(draft), now);
}

/** A package that a task begins with. */
const FRESH = { status: 'pending', scannedAt: null } as const;

/** The fields that only later events fill. */
const NOTHING_DONE = { rating: null, delayedAt: null, ...UNVISITED, pickedUpAt: null, proofs: null } as const;

/** Another order's task: no failed one is behind it. */
const FIRST_ATTEMPT = { attempt: 1, previousTaskId: null, nextTaskId: null } as const;

const NO_MONEY = { amountMinor: null, currency: null };

/** Only cash tasks have an amount; it has been checked. */
function moneyOf(
  draft: Draft,
  { taskType, amount, currency }: TaskInput,
): Pick<TaskRecord, 'amountMinor' | 'currency'> {
  if (amount == null || !isCashType(taskType)) return NO_MONEY;
  const own = currency ?? draft.organization.currency;
  const parsed = parseAmount(amount, own);
  if ('violation' in parsed) throw new RangeError(`of an amount that was checked: ${parsed.violation}`);
  return { amountMinor: parsed.minor, currency: own };
}

/** Moves packages from their tasks to a new one, with an event of each of those tasks. */
function movePackages(draft: Draft, ids: readonly number[], taskId: number, now: string): PackageRecord[] {
  const owners = new Set<number>();
  const moved = ids.map((id) => {
    const { record: before } = draft.findPackage(id)!;
    const record: PackageRecord = { ...before, version: before.version + 1, taskId, ...FRESH, updatedAt: now };
    draft.put({ kind: 'put-package', record, leaves: before.taskId });
    if (before.taskId !== null) owners.add(before.taskId);
    return record;
  });
  for (const id of owners) {
    const { task, packages } = draft.findTask(id)!;
    const left = packages.filter((record) => !ids.includes(record.id));
    draft.put({ kind: 'put-task', task: changedTask(task, {}, now), packages: left });
    tellUpdated(draft, id, ['packages']);
  }
  return moved;
}

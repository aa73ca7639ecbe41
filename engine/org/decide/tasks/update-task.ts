import { isDeepStrictEqual } from 'node:util';
import type { UpdateTask } from '../../../../schema/commands.ts';
import { notFound, type Refusal, refusal } from '../../../../schema/errors.ts';
import { isBlank } from '../../../../schema/fields/fields.ts';
import type { PackageEntry, PackageRecord } from '../../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { checkWindow } from '../../../domain/tasks/exceptions.ts';
import { barcodeOf, requirementsAfter } from '../../../domain/tasks/requirements.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { checkNewTimes, judgeUpdate } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { rule, taskById } from '../rule.ts';
import { checkFamilySize } from '../steps/family-size.ts';
import { draftLocation, newPlaces, type PlaceName } from '../steps/new-location.ts';
import { draftPackage } from '../steps/new-task.ts';
import { withdrawRequests } from '../steps/request-steps.ts';
import { withdrawIfUnsuited } from '../steps/task-search.ts';
import { tellUpdated } from '../steps/tell-updated.ts';
import { searchAfter } from './search-after.ts';

export const updateTaskRule = rule<UpdateTask>({
  needs(needed, { taskId, input: { pickupWarehouseId, preferredAgentId, requiredSkills, packages } }) {
    if (requiredSkills === undefined && !packages) needed.task(taskId);
    else needed.taskWithAsked(taskId);
    if (pickupWarehouseId) needed.warehouse(pickupWarehouseId);
    if (preferredAgentId) needed.agent(preferredAgentId);
  },
  task: taskById,
  target: ({ taskId }) => ({ kind: 'task', id: taskId }),
  decide: decideUpdateTask,
});

/**
 * PATCH /tasks/:id. A field with its present value changes nothing. Refuses, in this order: 403 for an agent; 400 for times
 * that have passed; 404 for the task, then for the first unknown id in field order; 409 TASK_NOT_EDITABLE past
 * awaiting_assignment; 400 for a window that does not fit; 409 WAREHOUSE_INACTIVE, TASK_TOO_LARGE.
 */
export function decideUpdateTask(draft: Draft, command: UpdateTask, context: DecideContext): Decision {
  const { taskId, input, caller } = command;
  const { now } = context;
  const facts = draft.findTask(taskId);
  const verdict = judgeUpdate(facts?.task, caller);
  if (verdict.kind === 'forbidden') return refuse(refusal('FORBIDDEN'));
  const late = checkNewTimes(input, now);
  if (late.length > 0) return violate(...late);
  const missing = facts && missingRecord(draft, facts, input);
  if (missing) return refuse(missing);
  if (verdict.kind === 'refused') return refuse(verdict.refusal);
  if (!facts) return refuse(notFound('Task', taskId));

  const { task: before } = facts;
  const fields = changedFields(before, input);
  const unfit = TIMES.some((name) => name in fields) ? checkWindow({ ...before, ...fields }) : undefined;
  if (unfit) return violate(unfit);
  const moved = movedPlaces(draft, facts, input);
  const inactive = moved.has('pickupLocation') ? inactiveWarehouse(draft, input) : undefined;
  if (inactive) return refuse(inactive);
  const packages = input.packages ? replacePackages(draft, facts, input.packages, context) : facts.packages;
  const changed = [...Object.keys(fields), ...moved, ...(packages === facts.packages ? [] : ['packages'])];
  if (changed.length === 0) return done('task', taskId);

  const { fields: search, withdrawn } = searchAfter(draft, before, { ...before, ...fields }, now);
  withdrawRequests(draft, withdrawn, now);
  const location = moved.has('location') ? draftLocation(draft, input.location, taskId, context) : facts.location;
  const pickupLocation = moved.has('pickupLocation') ? draftPickup(draft, command, context) : facts.pickupLocation;
  const ids = { locationId: location?.id ?? null, pickupLocationId: pickupLocation?.id ?? null };
  const task = changedTask(before, { ...fields, ...search, ...ids }, now);
  draft.put({ kind: 'put-task', task, location, pickupLocation, packages });
  const tooLarge = checkFamilySize(draft, taskId, facts);
  if (tooLarge) return refuse(tooLarge);
  tellUpdated(draft, taskId, changed);
  if (packages !== facts.packages)
    for (const request of task.search?.open ?? []) withdrawIfUnsuited(draft, request, now);
  return done('task', taskId);
}

/** The first record that the input names and that is not there, in the order of a new task's fields. */
function missingRecord(draft: Draft, facts: TaskFacts, input: UpdateTask['input']): Refusal | undefined {
  const { pickupWarehouseId, packages, preferredAgentId } = input;
  if (pickupWarehouseId && !draft.findWarehouse(pickupWarehouseId)) return notFound('Warehouse', pickupWarehouseId);
  const own = new Set(facts.packages.map(({ id }) => id));
  const foreign = packages?.find(({ id }) => id != null && !own.has(id));
  if (foreign) return notFound('Package', foreign.id!);
  if (preferredAgentId && !draft.findAgent(preferredAgentId)) return notFound('Agent', preferredAgentId);
  return undefined;
}

/** The places that change; a warehouse is where its place is now. */
function movedPlaces(draft: Draft, facts: TaskFacts, input: UpdateTask['input']): ReadonlySet<PlaceName> {
  const moved = newPlaces(facts, input);
  const { pickupWarehouseId } = input;
  const warehouse = pickupWarehouseId ? draft.findWarehouse(pickupWarehouseId) : undefined;
  if (warehouse && warehouse.location.id !== facts.task.pickupLocationId) moved.add('pickupLocation');
  return moved;
}

function inactiveWarehouse(draft: Draft, { pickupWarehouseId }: UpdateTask['input']): Refusal | undefined {
  if (!pickupWarehouseId || draft.findWarehouse(pickupWarehouseId)!.warehouse.isActive) return undefined;
  return refusal('WAREHOUSE_INACTIVE', undefined, { warehouseId: pickupWarehouseId });
}

function draftPickup(draft: Draft, { taskId, input }: UpdateTask, context: DecideContext) {
  const { pickupWarehouseId, pickupLocation } = input;
  if (pickupWarehouseId) return draft.findWarehouse(pickupWarehouseId)!.location;
  return draftLocation(draft, pickupLocation, taskId, context);
}

/** Fields that are taken as they come; null clears them. */
const PLAIN = [
  'notes',
  'description',
  'preferredAgentId',
  'readyAt',
  'windowStart',
  'windowEnd',
  'estimatedDuration',
] as const;
/** Fields that have to fit each other. */
const TIMES = ['scheduledAt', 'readyAt', 'windowStart', 'windowEnd'] as const;

/** The fields of the record that the input changes, as the event names them. A new time makes the task scheduled. */
function changedFields(before: TaskRecord, input: UpdateTask['input']): Partial<TaskRecord> {
  const { name, integrationData, scheduledAt, requiredSkills } = input;
  const fields: { -readonly [K in keyof TaskRecord]?: TaskRecord[K] } = {};
  if (name != null && name !== before.name) fields.name = name;
  for (const key of PLAIN) {
    const value = input[key];
    if (value !== undefined && value !== before[key]) Object.assign(fields, { [key]: value });
  }
  // No skills and an empty list show alike.
  if (requiredSkills !== undefined && !isDeepStrictEqual(requiredSkills ?? [], before.requiredSkills ?? [])) {
    fields.requiredSkills = requiredSkills;
  }
  if (integrationData !== undefined && !isDeepStrictEqual(integrationData, before.integrationData)) {
    fields.integrationData = integrationData;
  }
  const requirements = requirementsAfter(before.requirements, input.requirements);
  if (!isDeepStrictEqual(requirements, before.requirements)) fields.requirements = requirements;
  if (scheduledAt && scheduledAt !== before.scheduledAt) {
    fields.scheduledAt = scheduledAt;
    if (before.timeToServe !== 'scheduled') fields.timeToServe = 'scheduled';
  }
  return fields;
}

/** The list as it is wanted: what is named by id stays, changed or not; what is not named goes; the rest is new. */
function replacePackages(
  draft: Draft,
  facts: TaskFacts,
  entries: readonly PackageEntry[],
  context: DecideContext,
): readonly PackageRecord[] {
  const byId = new Map(entries.flatMap((entry) => (entry.id == null ? [] : [[entry.id, entry] as const])));
  const kept: PackageRecord[] = [];
  for (const record of facts.packages) {
    const entry = byId.get(record.id);
    const after = entry ? editPackage(record, entry, context.now) : detachPackage(record, context.now);
    if (after !== record) draft.put({ kind: 'put-package', record: after, leaves: entry ? null : facts.task.id });
    if (entry) kept.push(after);
  }
  const added = entries
    .filter(({ id }) => id == null)
    .map((entry) => draftPackage(draft, entry, facts.task.id, context));
  const isSame =
    added.length === 0 && kept.length === facts.packages.length && kept.every((r, i) => r === facts.packages[i]);
  return isSame ? facts.packages : [...kept, ...added].sort((a, b) => a.id - b.id);
}

/** Fields that null clears; the others must have a value, so null leaves them. */
const CLEARABLE = ['weight', 'width', 'height', 'length', 'notes'] as const;
const REQUIRED = ['name', 'description', 'quantity', 'isFragile'] as const;

function editPackage(record: PackageRecord, entry: PackageEntry, now: string): PackageRecord {
  const fields: Record<string, unknown> = {};
  for (const key of CLEARABLE) if (entry[key] !== undefined && entry[key] !== record[key]) fields[key] = entry[key];
  const barcode = entry.barcode === undefined ? record.barcode : barcodeOf(entry.barcode);
  if (barcode !== record.barcode) fields['barcode'] = barcode;
  for (const key of REQUIRED) {
    const value = entry[key];
    const isGiven = value != null && (typeof value !== 'string' || !isBlank(value));
    if (isGiven && value !== record[key]) fields[key] = value;
  }
  if (Object.keys(fields).length === 0) return record;
  // A scan was of the barcode that it had.
  if ('barcode' in fields) fields['scannedAt'] = null;
  return { ...record, ...fields, version: record.version + 1, updatedAt: now };
}

function detachPackage(record: PackageRecord, now: string): PackageRecord {
  return { ...record, taskId: null, version: record.version + 1, updatedAt: now };
}

import { isDeepStrictEqual } from 'node:util';
import type { AssignmentSettings } from '../../../../schema/assignment/assignment.ts';
import type { UpdateTask } from '../../../../schema/commands.ts';
import { notFound, type Refusal, refusal } from '../../../../schema/errors.ts';
import type { PackageEntry, PackageRecord } from '../../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { newSearch } from '../../../domain/assignment/assignment-machine.ts';
import { checkWindow } from '../../../domain/tasks/exceptions.ts';
import { requirementsAfter } from '../../../domain/tasks/requirements.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { checkScheduledAt, judgeUpdate } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';
import { checkFamilySize } from '../steps/family-size.ts';
import { draftLocation, isAt } from '../steps/new-location.ts';
import { draftPackage } from '../steps/new-task.ts';
import { withdrawRequests } from '../steps/request-steps.ts';
import { settingsOf } from '../steps/task-search.ts';
import { tellUpdated } from '../steps/tell-updated.ts';

export const updateTaskRule = rule<UpdateTask>({
  needs: needsTask,
  task: taskById,
  target: ({ taskId }) => ({ kind: 'task', id: taskId }),
  decide: decideUpdateTask,
});

/**
 * PATCH /tasks/:id. A field with its present value changes nothing. Refuses: 400 for a `scheduledAt` that has passed, or past the window;
 * 404 for the task, and for a package that is not its own; 409 TASK_NOT_EDITABLE past awaiting_assignment,
 * TASK_TOO_LARGE.
 */
export function decideUpdateTask(draft: Draft, command: UpdateTask, context: DecideContext): Decision {
  const { taskId, input, caller } = command;
  const facts = draft.findTask(taskId);
  const verdict = judgeUpdate(facts?.task, caller);
  if (verdict.kind === 'forbidden') return refuse(refusal('FORBIDDEN'));
  const late = input.scheduledAt ? checkScheduledAt(input.scheduledAt, context.now) : undefined;
  if (late) return violate(late);
  const foreign = facts && foreignPackage(facts, input.packages);
  if (foreign) return refuse(foreign);
  if (verdict.kind === 'refused') return refuse(verdict.refusal);
  if (!facts) return refuse(notFound('Task', taskId));

  const { task: before } = facts;
  const fields = changedFields(before, input);
  const unfit = fields.scheduledAt ? checkWindow({ ...before, ...fields }) : undefined;
  if (unfit) return violate(unfit);
  const changed = Object.keys(fields);
  const hasMoved = input.location && !(facts.location && isAt(facts.location, input.location));
  const location = hasMoved ? draftLocation(draft, input.location, taskId, context) : facts.location;
  if (hasMoved) changed.push('location');
  const packages = input.packages ? replacePackages(draft, facts, input.packages, context) : facts.packages;
  if (packages !== facts.packages) changed.push('packages');
  if (changed.length === 0) return done('task', taskId);

  const isRescheduled = fields.scheduledAt && before.search;
  const search = isRescheduled ? rescheduled(before, fields.scheduledAt, settingsOf(draft), context.now) : undefined;
  if (search) withdrawRequests(draft, before.search!.open, context.now);
  const task = changedTask(before, { ...fields, ...search, locationId: location?.id ?? null }, context.now);
  draft.put({ kind: 'put-task', task, location, packages });
  const tooLarge = checkFamilySize(draft, taskId);
  if (tooLarge) return refuse(tooLarge);
  tellUpdated(draft, taskId, changed);
  return done('task', taskId);
}

function foreignPackage(facts: TaskFacts, entries: readonly PackageEntry[] | null | undefined): Refusal | undefined {
  const own = new Set(facts.packages.map(({ id }) => id));
  const foreign = entries?.find(({ id }) => id != null && !own.has(id));
  return foreign && notFound('Package', foreign.id!);
}

/** Fields that are taken as they come; null clears them. */
const TEXTS = ['notes', 'description'] as const;

/** The fields of the record that the input changes, as the event names them. A new time makes the task scheduled. */
function changedFields(before: TaskRecord, input: UpdateTask['input']): Partial<TaskRecord> {
  const { integrationData, scheduledAt } = input;
  const fields: { -readonly [K in keyof TaskRecord]?: TaskRecord[K] } = {};
  for (const name of TEXTS) {
    const value = input[name];
    if (value !== undefined && value !== before[name]) fields[name] = value;
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

/** Open requests were for another time. The search begins when the new one comes near. */
export function rescheduled(
  before: TaskRecord,
  scheduledAt: string,
  settings: AssignmentSettings,
  now: string,
): Pick<TaskRecord, 'search' | 'autoAssignmentStatus'> {
  const { since, startsAt, until } = newSearch({ ...before, scheduledAt }, settings, now);
  const search = { ...before.search!, since, startsAt, until, open: [] };
  const isNew = before.status === 'new' || startsAt !== null;
  return { search, autoAssignmentStatus: isNew ? 'pending' : 'searching' };
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
const CLEARABLE = ['weight', 'width', 'height', 'length', 'barcode', 'notes'] as const;
const REQUIRED = ['name', 'description', 'quantity', 'isFragile'] as const;

function editPackage(record: PackageRecord, entry: PackageEntry, now: string): PackageRecord {
  const fields: Record<string, unknown> = {};
  for (const key of CLEARABLE) if (entry[key] !== undefined && entry[key] !== record[key]) fields[key] = entry[key];
  for (const key of REQUIRED) {
    const value = entry[key];
    const isGiven = value != null && (typeof value !== 'string' || value.trim() !== '');
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

import type { AmendTask } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { checkAmendment, checkWindow, mayHandleExceptions } from '../../../domain/tasks/exceptions.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { checkNewTimes, UNVISITED } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { rule, taskById } from '../rule.ts';
import { judgeSlot } from '../steps/agent-fit.ts';
import { checkFamilySize } from '../steps/family-size.ts';
import { draftLocation, newPlaces, type PlaceName, placesElsewhere } from '../steps/new-location.ts';
import { withdrawRequests } from '../steps/request-steps.ts';
import { draftStatus } from '../steps/task-search.ts';
import { tellRisk } from '../steps/tell-risk.ts';
import { tellUpdated } from '../steps/tell-updated.ts';
import { searchAfter } from '../tasks/search-after.ts';

type AmendInput = AmendTask['input'];
type Fields = { -readonly [K in keyof TaskRecord]?: TaskRecord[K] };

export const amendTaskRule = rule<AmendTask>({
  needs: (needed, { taskId }) => needed.taskWithLoad(taskId),
  followsAgent: true,
  task: taskById,
  decide: decideAmendTask,
});

/**
 * POST /tasks/:id/amend: a change of an open task, which its agent hears of. A field with its present value
 * changes nothing. A new time withdraws what is still asked, and must be free with the agent that has the task. Warns when
 * the task is now expected after it is due. Refuses, in this order: 403 for others than staff; 400 for times that have
 * passed; 404; 409 TASK_NOT_EDITABLE; 400 for a window that does not fit; 409 AGENT_SLOT_TAKEN, TASK_TOO_LARGE.
 */
export function decideAmendTask(draft: Draft, command: AmendTask, context: DecideContext): Decision {
  const { taskId, input, caller } = command;
  const { now } = context;
  if (!mayHandleExceptions(caller)) return refuse(refusal('FORBIDDEN'));
  const late = checkNewTimes(input, now);
  if (late.length > 0) return violate(...late);
  const facts = draft.findTask(taskId);
  if (!facts) return refuse(notFound('Task', taskId));
  const refused = checkAmendment(facts.task);
  if (refused) return refuse(refused);

  const fields = amendedFields(facts.task, input);
  const places = newPlaces(facts, input);
  const changed = [...Object.keys(fields), ...places];
  if (changed.length === 0) return done('task', taskId);
  const wanted = { ...facts.task, ...fields };
  const unfit = checkWindow(wanted);
  if (unfit) return violate(unfit);

  const hasNewTime = wanted.scheduledAt !== facts.task.scheduledAt;
  const { fields: search, withdrawn } = searchAfter(draft, facts.task, wanted, now);
  if (withdrawn.length > 0) {
    withdrawRequests(draft, withdrawn, now);
    // An agent that is asked alone has the task: for another time it has not been asked.
    if (facts.task.status === 'assigned') draftStatus(draft, facts.task, 'awaiting_assignment', search, now);
  }
  const { task: before } = draft.findTask(taskId)!;
  const taken = hasNewTime && before.agentId !== null ? judgeSlot(draft, wanted, before.agentId) : undefined;
  if (taken) return refuse(taken);
  const all = { ...fields, ...search, ...visitsAt(placesElsewhere(facts, input, places), before) };
  const location = places.has('location') ? draftLocation(draft, input.location, taskId, context) : facts.location;
  const pickupLocation = places.has('pickupLocation')
    ? draftLocation(draft, input.pickupLocation, taskId, context)
    : facts.pickupLocation;
  const ids = { locationId: location?.id ?? null, pickupLocationId: pickupLocation?.id ?? null };
  const task = changedTask(before, { ...all, ...ids }, now);
  draft.put({ kind: 'put-task', task, location, pickupLocation });
  const tooLarge = checkFamilySize(draft, taskId, facts);
  if (tooLarge) return refuse(tooLarge);
  tellUpdated(draft, taskId, changed, { kind: 'updated', details: { changed } }, { changes: changed });
  tellRisk(draft, before, task);
  return done('task', taskId);
}

/**
 * Nobody has arrived at a place elsewhere. A new way to the goods has no ETA yet, and the warning about the old way no longer
 * holds: the next prediction judges the new one.
 */
function visitsAt(
  places: ReadonlySet<PlaceName>,
  { status, pickedUpAt }: Pick<TaskRecord, 'status' | 'pickedUpAt'>,
): Fields {
  const { arrivedAt, etaAt, pickupEtaAt, pickupArrivedAt } = UNVISITED;
  const isAboard = status === 'in_transit' || pickedUpAt !== null;
  return {
    ...(places.has('location') ? { arrivedAt, etaAt } : {}),
    ...(places.has('pickupLocation') ? { pickupEtaAt, pickupArrivedAt } : {}),
    ...(places.has('pickupLocation') && !isAboard ? { etaAt } : {}),
  };
}

/** The fields of the record that change. */
function amendedFields(before: TaskRecord, input: AmendInput): Fields {
  const fields: Fields = {};
  for (const name of ['notes', 'description', 'windowStart', 'windowEnd'] as const) {
    const value = input[name];
    if (value !== undefined && value !== before[name]) fields[name] = value;
  }
  const { scheduledAt, contact } = input;
  if (scheduledAt && scheduledAt !== before.scheduledAt) {
    fields.scheduledAt = scheduledAt;
    if (before.timeToServe !== 'scheduled') fields.timeToServe = 'scheduled';
  }
  const person = contact && { name: contact.name, phone: contact.phone.e164 };
  const isSame = person?.name === before.contact?.name && person?.phone === before.contact?.phone;
  if (person !== undefined && !isSame) fields.contact = person;
  return fields;
}

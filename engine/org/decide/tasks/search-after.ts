import type {
  AssignmentRequestRecord,
  AssignmentSettings,
  TaskSearch,
} from '../../../../schema/assignment/assignment.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { newSearch } from '../../../domain/assignment/assignment-machine.ts';
import { lacksSkills } from '../../../domain/assignment/eligibility.ts';
import type { Draft } from '../../state/draft.ts';
import { settingsOf } from '../steps/task-search.ts';

type SearchFields = Partial<Pick<TaskRecord, 'search' | 'autoAssignmentStatus'>>;

export interface SearchChange {
  readonly fields: SearchFields;
  /** Open requests that were for another task than it is now. */
  readonly withdrawn: readonly AssignmentRequestRecord[];
}

const UNCHANGED: SearchChange = { fields: {}, withdrawn: [] };

/**
 * The search of a task as it is `wanted`. For another `scheduledAt` nobody has been asked, and it begins when that comes
 * near. Another window or `readyAt` moves its end, and its beginning while it has not begun. Other skills withdraw it from
 * the agents that lack them. All other offers stay.
 */
export function searchAfter(draft: Draft, before: TaskRecord, wanted: TaskRecord, now: string): SearchChange {
  const { search } = before;
  if (!search) return UNCHANGED;
  const settings = settingsOf(draft);
  const hasOtherTimes = !isPlannedAlike(before, wanted);
  // Its beginning and its end come from one reading of the settings.
  const beginsAnew = search.startsAt !== null && hasOtherTimes;
  if (beginsAnew || wanted.scheduledAt !== before.scheduledAt) {
    return { fields: rescheduled(wanted, settings, now), withdrawn: search.open };
  }
  const withdrawn = wanted.requiredSkills === before.requiredSkills ? [] : unskilled(draft, search, wanted);
  const times = !hasOtherTimes ? {} : timesOf(search, wanted, settings, now);
  if (withdrawn.length === 0 && Object.keys(times).length === 0) return UNCHANGED;
  const open = search.open.filter((request) => !withdrawn.includes(request));
  const isFree = withdrawn.length > 0 && open.length === 0;
  const fields = {
    search: { ...search, ...times, open },
    ...(isFree && { autoAssignmentStatus: 'searching' as const }),
  };
  return { fields, withdrawn };
}

/** An agent that declined did so for the old time. */
function rescheduled(wanted: TaskRecord, settings: AssignmentSettings, now: string): SearchFields {
  const search = newSearch(wanted, settings, now);
  const isNew = wanted.status === 'new' || search.startsAt !== null;
  return { search, autoAssignmentStatus: isNew ? 'pending' : 'searching' };
}

function unskilled(draft: Draft, { open }: TaskSearch, { requiredSkills }: TaskRecord): AssignmentRequestRecord[] {
  return open.filter(({ agentId }) => lacksSkills(draft.findAgent(agentId)!.skills, requiredSkills ?? []));
}

function isPlannedAlike(before: TaskRecord, wanted: TaskRecord): boolean {
  return (['readyAt', 'windowStart', 'windowEnd'] as const).every((name) => before[name] === wanted[name]);
}

/** A search that has begun, perhaps by hand, waits for its time no more; it has waited as long as it has, unless its task is of later now. */
function timesOf(search: TaskSearch, wanted: TaskRecord, settings: AssignmentSettings, now: string) {
  const { since: begin, until } = newSearch({ ...wanted, scheduledAt: null }, settings, now);
  const { since = wanted.createdAt } = search;
  return { since: begin > now || since > now ? begin : since, until };
}

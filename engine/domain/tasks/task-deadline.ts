import type { TaskSearch } from '../../../schema/assignment/assignment.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { isTerminal, type TaskRecord } from '../../../schema/tasks/task.ts';
import { delayedAfterMs } from './delay.ts';

type Timed = Pick<
  TaskRecord,
  'status' | 'timeToServe' | 'scheduledAt' | 'createdAt' | 'estimatedDuration' | 'delayedAt' | 'search'
>;

/** When the actor of an open task has to look at it: the earliest of its delay and what its search waits for. */
export function deadlineOf(task: Timed): string | null {
  if (isTerminal(task.status)) return null;
  const delay = task.delayedAt === null ? isoOf(delayedAfterMs(task)) : null;
  if (!task.search) return delay;
  const search = searchDeadlineOf(task.search);
  return delay !== null && delay < search ? delay : search;
}

export function isLate(task: Timed, now: string): boolean {
  return task.delayedAt === null && !isTerminal(task.status) && isoOf(delayedAfterMs(task)) <= now;
}

function searchDeadlineOf(search: TaskSearch): string {
  if (search.startsAt !== null) return search.startsAt;
  const [firstToRunOut] = search.open.map(({ expiresAt }) => expiresAt).sort();
  return firstToRunOut ?? search.until;
}

/** A moment as text, at the latest the last one that can be shown. */
export function isoOf(ms: number): string {
  if (ms !== lastIso.ms) lastIso = { ms, text: new Date(Math.min(ms, LIMITS.latestTimeMs)).toISOString() };
  return lastIso.text;
}

/** Tasks of one moment have one deadline: formatting a time takes as long as everything else here. */
let lastIso = { ms: Number.NaN, text: '' };

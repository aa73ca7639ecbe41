import type {
  FailureReason,
  PassedOverAgents,
  SearchNote,
  SearchView,
  TaskSearch,
} from '../../../schema/assignment/assignment.ts';
import { LIMITS } from '../../../schema/limits.ts';

/** The report of a round on a task that nobody is asked for; a null reason: it is held for an agent who is asked later. */
interface Lack extends PassedOverAgents {
  readonly reason: FailureReason | null;
}

/** How a search ends whose last round this was: who is busy until then is not eligible. */
export function failureOf({ reason }: Pick<Lack, 'reason'>): FailureReason {
  return reason ?? 'no_eligible_agents';
}

/** The note of the wait that follows; null: the round had no room for the task, which is in the next one. */
export function noteOf({ reason, counts }: Lack): SearchNote | null {
  if (reason !== null) return reason;
  if (counts['not_ready']) return 'ready_time';
  return counts['busy'] || counts['on_break'] ? 'busy_agent' : null;
}

/** Whether a search is to note why a round found nobody: when that has changed, and only now and then. */
export function isWorthNoting(
  { lacking, noted = lacking, notedAt }: Pick<TaskSearch, 'lacking' | 'noted' | 'notedAt'>,
  lack: Lack,
  nowMs: number,
): boolean {
  return notedAt === null || (noted !== noteOf(lack) && nowMs - Date.parse(notedAt) >= LIMITS.searchNoteMs);
}

/** Whether the search would end in another way, or list other candidates. */
export function isOtherLack({ lacking, passedOver }: TaskSearch, lack: Lack): boolean {
  return lacking !== failureOf(lack) || !passedOver || textOf(passedOver) !== textOf(lack);
}

/**
 * The candidates that the end of a search lists: those of its last round, or, when that round asked somebody, who turned
 * the task down or let it run out. None when no round has seen it.
 */
export function candidatesOf({ passedOver, rejectedBy, expiredBy }: TaskSearch): PassedOverAgents | undefined {
  if (passedOver) return passedOver;
  const asked = [...rejectedBy, ...expiredBy];
  if (asked.length === 0) return undefined;
  const nearest = asked
    .slice(-LIMITS.passedOverShown)
    .map((agentId) => ({ agentId, reason: 'declined', distanceM: null }));
  return { counts: { declined: asked.length }, nearest };
}

/** The search as its task shows it: as its last event told it. */
export function searchViewOf(search: TaskSearch): SearchView {
  const { since = null, until, startsAt, open, lacking, noted = lacking } = search;
  const shown = { reason: null, since, until };
  if (startsAt !== null) return { waitsFor: 'start', ...shown };
  if (open.length > 0) return { waitsFor: 'answer', ...shown };
  if (noted === null) return { waitsFor: 'round', ...shown };
  if (noted === 'busy_agent' || noted === 'ready_time') return { waitsFor: noted, ...shown };
  return { waitsFor: 'eligible_agent', ...shown, reason: noted };
}

function textOf({ counts, nearest }: PassedOverAgents): string {
  const sorted = Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([sorted, nearest.map(({ agentId, reason, distanceM }) => [agentId, reason, distanceM])]);
}

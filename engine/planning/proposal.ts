import type { FailureReason, TaskSearch } from '../../schema/assignment/assignment.ts';
import type { LackingTask, ProposedOffer } from '../../schema/assignment/proposed-offer.ts';
import { LIMITS } from '../../schema/limits.ts';
import { wasAsked } from '../domain/assignment/assignment-machine.ts';
import { absenceOf } from '../domain/assignment/eligibility.ts';
import type { PassedOver, RoundPlan, Unplanned } from '../domain/assignment/round-view.ts';
import { failureOf, isOtherLack, isWorthNoting, noteOf } from '../domain/assignment/search-wait.ts';
import type { SoughtTask } from '../store/planning/round-store.ts';
import type { ViewOfRound } from './round-view-of.ts';

/** The proposal of a round to the owner. */
export interface Proposal {
  readonly offers: readonly ProposedOffer[];
  readonly lacking: readonly LackingTask[];
}

/** Reasons that waiting does not change. Agents who are too far away move. */
const LASTING: readonly PassedOver[] = ['declined', 'skills'];
/** No agent that only its load excludes is refused for one of these. */
const AFTER_CAPACITY: readonly PassedOver[] = [
  'slot',
  'max_tasks',
  'too_far',
  'ends_before',
  'on_break',
  'chosen_for_another',
];

/** The largest value of a row; no agent is asked for a task so far away. */
const MOST_SECONDS = 2 ** 31 - 1;

export function proposalOf(plan: RoundPlan, seen: ViewOfRound): Proposal {
  const openTasks = new Map(seen.view.agents.map((agent) => [agent.agentId, agent.openTasks]));
  const offers = plan.offers.flatMap(({ agentId, taskIds, score, distanceM, etaMs, stops }) =>
    taskIds.map((taskId, place) => {
      const etaSeconds = wholeUpTo(MOST_SECONDS, etaMs[place]! / 1_000);
      const lateMs = stops.reduce(
        (most, stop) => (stop.taskIds.includes(taskId) ? Math.max(most, stop.lateMs) : most),
        0,
      );
      const lateSeconds = wholeUpTo(MOST_SECONDS, lateMs / 1_000);
      const late = lateSeconds > 0 ? { lateSeconds } : {};
      const offer = { taskId, agentId, score, distanceM: Math.round(distanceM), etaSeconds, ...late };
      return seen.knowsCarried ? { ...offer, heldTasks: openTasks.get(agentId)! + place } : offer;
    }),
  );
  return { offers, lacking: plan.unplanned.map((unplanned) => lackingOf(unplanned, seen)) };
}

/**
 * Without what the owner knows, or would not note yet: rounds are many, and most say the same of the same tasks. Of a
 * search that may end before another round it gets every change of the candidates: its end lists them.
 */
export function newsOf({ offers, lacking }: Proposal, tasks: readonly SoughtTask[], nowMs: number): Proposal {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  const isNews = (lack: LackingTask) => {
    const task = byId.get(lack.taskId)!;
    const { status, search } = task;
    if (status === 'new' || !search) return true;
    if (noteOf(lack) === null) return false;
    if (isWorthNoting(search, lack, nowMs) || (lack.isHopeless && wasAsked(search))) return true;
    // A search that ends tells the reason of its last round, so each new one goes to the owner, noted or not.
    return isLastWord(task, search, nowMs) ? isOtherLack(search, lack) : failureOf(lack) !== search.lacking;
  };
  return { offers, lacking: lacking.filter(isNews) };
}

/** Whether the search may end before another round has looked. */
function isLastWord({ windowEnd }: SoughtTask, { until }: TaskSearch, nowMs: number): boolean {
  const endMs = Math.min(Date.parse(until), windowEnd === null ? Number.POSITIVE_INFINITY : Date.parse(windowEnd));
  return endMs - nowMs <= LIMITS.searchEndsSoonMs;
}

/** In commands of a size that is taken. The offers of one task stay together: only the first of them would be heard. */
export function piecesOf({ offers, lacking }: Proposal): Proposal[] {
  const pieces: Proposal[] = [];
  const byTask = new Map<number, ProposedOffer[]>();
  for (const offer of offers) {
    const ofTask = byTask.get(offer.taskId);
    if (ofTask) ofTask.push(offer);
    else byTask.set(offer.taskId, [offer]);
  }
  let piece: ProposedOffer[] = [];
  for (const ofTask of byTask.values()) {
    if (piece.length + ofTask.length > LIMITS.proposedOffers) {
      pieces.push({ offers: piece, lacking: [] });
      piece = [];
    }
    piece.push(...ofTask);
  }
  if (piece.length > 0) pieces.push({ offers: piece, lacking: [] });
  for (let at = 0; at < lacking.length; at += LIMITS.proposedOffers)
    pieces.push({ offers: [], lacking: lacking.slice(at, at + LIMITS.proposedOffers) });
  return pieces;
}

function lackingOf({ taskId, why, counts, nearest }: Unplanned, { view, unlocated }: ViewOfRound): LackingTask {
  const nowhere = unlocated.length;
  const all = nowhere === 0 ? counts : { ...counts, stale_position: (counts.stale_position ?? 0) + nowhere };
  const shown = [
    ...nearest.map((one) => ({ ...one, distanceM: Math.round(one.distanceM) })),
    ...unlocated
      .slice(0, LIMITS.passedOverShown)
      .map((agentId) => ({ agentId, reason: 'stale_position', distanceM: null })),
  ].slice(0, LIMITS.passedOverShown);
  const known = view.agents.length + nowhere;
  const isHopeless = why === 'nobody' && known > 0 && sumOf(counts, LASTING) === known;
  return { taskId, reason: why === 'held' ? null : reasonOf(counts, view), isHopeless, counts: all, nearest: shown };
}

function reasonOf(counts: Unplanned['counts'], { agents, now }: ViewOfRound['view']): FailureReason {
  if (agents.every((agent) => agent.isStale || absenceOf(agent, now))) return 'no_available_agents';
  return counts.capacity && sumOf(counts, AFTER_CAPACITY) === 0 ? 'capacity_exceeded' : 'no_eligible_agents';
}

function wholeUpTo(most: number, value: number): number {
  return Math.min(most, Math.round(value));
}

function sumOf(counts: Unplanned['counts'], reasons: readonly PassedOver[]): number {
  return reasons.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0);
}

import type { AssignmentRequestRecord, AssignmentSettings } from '../../../../schema/assignment/assignment.ts';
import type { LackingTask, ProposedOffer } from '../../../../schema/assignment/proposed-offer.ts';
import type { ProposeOffers } from '../../../../schema/commands.ts';
import type { AgentRecord } from '../../../../schema/fleet/agent.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { mayWorkAt } from '../../../domain/assignment/agent-shifts.ts';
import { declinedReason, isSought, wasAsked } from '../../../domain/assignment/assignment-machine.ts';
import { lacksSkills } from '../../../domain/assignment/eligibility.ts';
import { failureOf, isOtherLack, isWorthNoting, noteOf } from '../../../domain/assignment/search-wait.ts';
import { isoOf } from '../../../domain/shown-time.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN } from '../decision.ts';
import { ORDINARY } from '../id-demand.ts';
import { rule } from '../rule.ts';
import { acceptRequest } from '../steps/accept-request.ts';
import { judgeFit } from '../steps/agent-fit.ts';
import { draftRequest } from '../steps/request-steps.ts';
import { draftSearch, draftStatus, endSearchIfOver, failSearch, settingsOf } from '../steps/task-search.ts';

export const proposeOffersRule = rule<ProposeOffers>({
  needs: (needed, command) => needed.proposal(command),
  ids: ({ offers }) => ({ ...ORDINARY, assignment_request: offers.length }),
  decide: decideProposeOffers,
});

/**
 * The proposal of a planning round. The round saw the organization a moment ago, so each proposal is judged by the
 * present facts, earlier ones of the same proposal included. A stale one is left out, and its task comes in the next
 * round. Once the organization is not active, all are stale.
 */
function decideProposeOffers(draft: Draft, command: ProposeOffers, context: DecideContext): Decision {
  if (draft.organization.status !== 'active') return NOTHING_SHOWN;
  const settings = settingsOf(draft);
  for (const [taskId, offers] of byTask(command.offers)) offerTask(draft, taskId, offers, settings, context);
  for (const lacking of command.lacking) noteLack(draft, lacking, context.now);
  return NOTHING_SHOWN;
}

function byTask(offers: readonly ProposedOffer[]): ReadonlyMap<number, readonly ProposedOffer[]> {
  const grouped = new Map<number, ProposedOffer[]>();
  for (const offer of offers) {
    const ofTask = grouped.get(offer.taskId);
    if (ofTask) ofTask.push(offer);
    else grouped.set(offer.taskId, [offer]);
  }
  return grouped;
}

function offerTask(
  draft: Draft,
  taskId: number,
  offers: readonly ProposedOffer[],
  settings: AssignmentSettings,
  context: DecideContext,
): void {
  const { now } = context;
  const before = soughtTask(draft, taskId);
  if (!before) return;
  beginSearch(draft, before, now);
  // An expired search ends now, even before a timer has seen it.
  endSearchIfOver(draft, taskId, now);
  const task = soughtTask(draft, taskId);
  if (!task) return;
  const takers = offers.filter(
    (offer) => isAsSeen(draft, offer, settings) && mayTake(draft, task, offer.agentId, settings, now),
  );
  const isAskedOfMany = settings.mode === 'broadcast' && !settings.autoAccept;
  const chosen = takers.slice(0, isAskedOfMany ? LIMITS.broadcastAgents : 1);
  if (chosen.length === 0) return;
  const attempt = task.search!.attempts + 1;
  const open = chosen.map((offer) => newRequest(task, offer, attempt, settings, context));
  const search = { ...task.search!, attempts: attempt, open, passedOver: null, noted: null };
  const fields = { search, autoAssignmentStatus: 'offered' } as const;
  if (settings.mode === 'sequential') {
    const given = { agentId: open[0]!.agentId, courierType: 'internal', courierId: null, courier: null } as const;
    draftStatus(draft, task, 'assigned', { ...fields, ...given }, now);
  } else draftSearch(draft, task, fields, now);
  for (const [place, request] of open.entries()) draftRequest(draft, request, { details: latenessOf(chosen[place]!) });
  if (settings.autoAccept) acceptRequest(draft, open[0]!, now);
}

/** Said in the history of what cannot be on time. */
function latenessOf({ lateSeconds = 0 }: ProposedOffer): Readonly<Record<string, unknown>> | undefined {
  if (lateSeconds === 0) return undefined;
  return { reason: 'window_cannot_be_met', lateMinutes: Math.ceil(lateSeconds / 60) };
}

/** Why nobody was asked, the first time and from then on now and then; a search without hope ends. */
function noteLack(draft: Draft, lack: LackingTask, now: string): void {
  const { taskId, reason, isHopeless, counts, nearest } = lack;
  const sought = soughtTask(draft, taskId);
  if (!sought) return;
  const note = noteOf(lack);
  if (note === null) return beginSearch(draft, sought, now);
  const search = sought.search!;
  if (isHopeless && reason !== null && wasAsked(search)) {
    return failSearch(draft, sought, declinedReason(search), now, { lacking: reason, counts, nearest });
  }
  const next = { ...search, lacking: failureOf(lack), passedOver: { counts, nearest } };
  if (isWorthNoting(search, lack, Date.parse(now))) {
    const fields = { search: { ...next, noted: note, notedAt: now }, autoAssignmentStatus: 'searching' } as const;
    const details = { reason: note, counts, nearest };
    if (sought.status === 'new') draftStatus(draft, sought, 'awaiting_assignment', fields, now, { details });
    else draftSearch(draft, sought, fields, now, { details });
  } else if (isOtherLack(search, lack)) {
    // Without an event: the note of a reason that changes often would flood the history. The end of the search tells it.
    // Nothing that shows has changed, so `updatedAt` stays.
    const kept = { ...next, noted: search.noted === undefined ? search.lacking : search.noted };
    const task = changedTask(sought, { search: kept }, now);
    draft.put({ kind: 'put-task', task: { ...task, updatedAt: sought.updatedAt } });
  }
  endSearchIfOver(draft, taskId, now);
}

/** The task, if rounds are still to look at it. */
function soughtTask(draft: Draft, taskId: number): TaskRecord | undefined {
  const task = draft.findTask(taskId)?.task;
  return task && isSought(task) ? task : undefined;
}

/** The first round that sees a task begins to look for somebody. */
function beginSearch(draft: Draft, before: TaskRecord, now: string): void {
  if (before.status !== 'new') return;
  draftStatus(draft, before, 'awaiting_assignment', { autoAssignmentStatus: 'searching' }, now);
}

/**
 * Whether the agent got no other task since the round saw it: the plan would not have given it this one, too. Of two
 * rounds that plan beside each other the second one's offer is left out. In a broadcast many tasks are offered to an agent.
 */
function isAsSeen(draft: Draft, { agentId, heldTasks }: ProposedOffer, { mode }: AssignmentSettings): boolean {
  return mode === 'broadcast' || heldTasks === undefined || draft.heldBy(agentId).length <= heldTasks;
}

function mayTake(draft: Draft, task: TaskRecord, agentId: number, settings: AssignmentSettings, now: string): boolean {
  const agent: AgentRecord | undefined = draft.findAgent(agentId);
  if (!agent?.isActive || !agent.onDuty || !mayWorkAt(agent, now)) return false;
  const { rejectedBy, expiredBy } = task.search!;
  if (rejectedBy.includes(agentId) || expiredBy.includes(agentId)) return false;
  if (lacksSkills(agent.skills, task.requiredSkills ?? [])) return false;
  return judgeFit(draft, draft.findTask(task.id)!, agent, settings.maxTasksPerAgent) === undefined;
}

function newRequest(
  task: TaskRecord,
  { agentId, score, distanceM, etaSeconds }: ProposedOffer,
  attempt: number,
  settings: AssignmentSettings,
  { now, nextId }: DecideContext,
): AssignmentRequestRecord {
  return {
    organizationId: task.organizationId,
    id: nextId('assignment_request'),
    version: 1,
    taskId: task.id,
    agentId,
    channelId: task.channelId,
    status: 'pending',
    mode: settings.mode,
    attempt,
    score,
    distanceM,
    etaSeconds,
    expiresAt: isoOf(Date.parse(now) + settings.requestTtlSeconds * 1_000),
    respondedAt: null,
    rejectionReason: null,
    createdAt: now,
    updatedAt: now,
  };
}

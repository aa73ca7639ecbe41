import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActivityCounts } from '../../../engine/org/activity-counts.ts';
import { assignCouriersRule } from '../../../engine/org/decide/assignment/assign-couriers.ts';
import { assignTaskRule } from '../../../engine/org/decide/assignment/assign-task.ts';
import { proposeOffersRule } from '../../../engine/org/decide/assignment/propose-offers.ts';
import { unassignTaskRule } from '../../../engine/org/decide/assignment/unassign-task.ts';
import type { DecideContext, Decision } from '../../../engine/org/decide/decision.ts';
import { decideChangeTaskStatus } from '../../../engine/org/decide/tasks/change-task-status.ts';
import type { Draft } from '../../../engine/org/state/draft.ts';
import type { ProposeOffers } from '../../../schema/commands.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import {
  agentRecord,
  at,
  callerOf,
  courierRecord,
  decideOn,
  NOW,
  OWN_AGENT,
  openRequest,
  searchThatAsks,
  stateWith,
  TASK,
} from './decide/decide-fixture.ts';

const caller = callerOf('dispatcher');
const SOUGHT = { search: { ...searchThatAsks(), since: at(11) }, autoAssignmentStatus: 'searching' } as const;
const OFFERED: Partial<TaskRecord> = {
  search: { ...searchThatAsks(openRequest()), since: at(11) },
  autoAssignmentStatus: 'offered',
  agentId: OWN_AGENT,
};
const OVER: Partial<TaskRecord> = { ...SOUGHT, search: { ...SOUGHT.search, until: NOW } };

/** The proposal of a round that found nobody, or has the task taken without asking. */
const round = (found: Pick<ProposeOffers, 'offers' | 'lacking'>) => (draft: Draft, context: DecideContext) =>
  proposeOffersRule.decide(draft, { kind: 'propose-offers', caller, ...found }, context);

const toAgent = round({
  offers: [{ taskId: TASK, agentId: OWN_AGENT, score: 1, distanceM: null, etaSeconds: null }],
  lacking: [],
});
const nobody = round({
  offers: [],
  lacking: [{ taskId: TASK, reason: 'no_eligible_agents', isHopeless: false, counts: {}, nearest: [] }],
});
const toCourier = (draft: Draft, context: DecideContext) =>
  assignCouriersRule.decide(
    draft,
    { kind: 'assign-couriers', caller, assignments: [{ taskId: TASK, courier: courierRecord() }] },
    context,
  );
const byHand = (draft: Draft, context: DecideContext) =>
  assignTaskRule.decide(draft, { kind: 'assign-task', caller, taskId: TASK, input: { agentId: OWN_AGENT } }, context);
const unassign = (draft: Draft, context: DecideContext) =>
  unassignTaskRule.decide(draft, { kind: 'unassign-task', caller, taskId: TASK, input: {} }, context);
const cancel = (draft: Draft, context: DecideContext) =>
  decideChangeTaskStatus(
    draft,
    { kind: 'change-task-status', caller, taskId: TASK, input: { status: 'cancelled', reason: 'closed' } },
    context,
  );

type Ending = (draft: Draft, context: DecideContext) => Decision;

for (const [what, status, fields, decide, outcome] of [
  ['an agent has the task', 'awaiting_assignment', SOUGHT, toAgent, 'assigned'],
  ['an external courier has the task', 'awaiting_assignment', SOUGHT, toCourier, 'assigned'],
  ['its time is over', 'awaiting_assignment', OVER, nobody, 'failed'],
  ['a dispatcher gives the task to an agent', 'awaiting_assignment', SOUGHT, byHand, 'cancelled'],
  ['a dispatcher takes the task from the agent that is asked', 'assigned', OFFERED, unassign, 'cancelled'],
  ['its task is cancelled', 'awaiting_assignment', SOUGHT, cancel, 'cancelled'],
  ['its task is cancelled while an agent is asked', 'assigned', OFFERED, cancel, 'cancelled'],
] as const satisfies readonly (readonly [string, TaskRecord['status'], Partial<TaskRecord>, Ending, string])[])
  test(`a search that ends because ${what} counts as ${outcome}`, () => {
    const state = stateWith('unserved', status, { fields });
    const settings = { assignment: { externalCouriers: true, autoAccept: true } };
    state.apply({ kind: 'put-organization', organization: { ...state.organization, settings } }, 0);
    state.absorbAgents({ agents: [agentRecord({})], takenEmails: [], loadedAgentIds: [OWN_AGENT], heldTasks: [] });
    const { decision, draft } = decideOn(state, decide);
    assert.ok(decision.ok);
    let before = state.findTask(TASK)!.task;
    const taskChanges = draft.changes.flatMap((change) => {
      if (change.kind !== 'put-task') return [];
      const step = { before, after: change.task };
      before = change.task;
      return [step];
    });
    const counts = new ActivityCounts({ now: () => Date.parse(NOW), monotonic: () => 0 });
    counts.committed({ events: [], requests: new Map(), taskChanges });
    assert.deepEqual(counts.searches, { assigned: 0, failed: 0, cancelled: 0, [outcome]: 1 });
    assert.equal(counts.assignmentSeconds.sum, outcome === 'assigned' ? 3_600 : 0);
  });

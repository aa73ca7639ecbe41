import type { AssignCouriers } from '../../../../schema/commands.ts';
import { isSought } from '../../../domain/assignment/assignment-machine.ts';
import { exceedsCapacity } from '../../../domain/assignment/eligibility.ts';
import { loadOf } from '../../../domain/assignment/load.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN } from '../decision.ts';
import { rule } from '../rule.ts';
import { FOUND } from '../steps/accept-request.ts';
import { draftStatus, settingsOf } from '../steps/task-search.ts';

const EMPTY = loadOf([]);

export const assignCouriersRule = rule<AssignCouriers>({
  needs(needed, { assignments }) {
    for (const { taskId } of assignments) needed.task(taskId);
  },
  decide: decideAssignCouriers,
});

/**
 * External couriers take tasks: their companies have agreed, so that no agent is asked. A stale assignment is left out;
 * its caller sees by the task that it still searches or has another courier.
 */
function decideAssignCouriers(draft: Draft, command: AssignCouriers, { now }: DecideContext): Decision {
  if (draft.organization.status !== 'active' || !settingsOf(draft).externalCouriers) return NOTHING_SHOWN;
  for (const { taskId, courier } of command.assignments) {
    const facts = draft.findTask(taskId);
    if (!facts || !isSought(facts.task)) continue;
    if (exceedsCapacity(courier.vehicle, EMPTY, loadOf(facts.packages))) continue;
    const given = { agentId: null, courierType: 'external', courierId: courier.id, courier } as const;
    const assigned = draftStatus(draft, facts.task, 'assigned', { ...given, ...FOUND }, now);
    draftStatus(draft, assigned, 'accepted', FOUND, now);
  }
  return NOTHING_SHOWN;
}

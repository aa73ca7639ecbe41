import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';

/**
 * The steps that an agent reads in the history of its task (docs/contract.md §2: its own records only): no steps of the
 * time when another agent had the task, with their reasons; no other asked agents or candidates; no payments except
 * cash to itself. Of a reassignment both agents read that it concerns them, and not who the other one is.
 */
export function stepsOf(agentId: number, steps: readonly HistoryStepView[]): HistoryStepView[] {
  const own: HistoryStepView[] = [];
  let holder: number | null | typeof COURIER = null;
  for (const step of steps) {
    const { kind, toStatus, details } = step;
    const hadIt = holder === agentId;
    if (toStatus === 'assigned' || kind === 'reassigned')
      holder = (details?.['agentId'] as number | undefined) ?? COURIER;
    if (kind === 'reassigned' && hadIt !== (holder === agentId)) {
      own.push({ ...step, details: hadIt ? { previousAgentId: agentId } : { agentId } });
      continue;
    }
    const isOthers = holder !== null && holder !== agentId;
    const isAboutOthers = details?.['agentId'] != null && details['agentId'] !== agentId;
    const isOthersMoney = kind === 'payment' && (details?.['method'] !== 'cash' || holder !== agentId);
    if (!isOthers && !isAboutOthers && !isOthersMoney) own.push(withoutCandidates(step));
    // The step that takes the task also informs the agent that loses it.
    if (toStatus === 'awaiting_assignment') holder = null;
  }
  return own;
}

/** An external courier is never an agent. */
const COURIER = 'courier';

function withoutCandidates(step: HistoryStepView): HistoryStepView {
  if (!step.details) return step;
  const { counts: _, nearest: __, lacking: ___, ...details } = step.details;
  return { ...step, details };
}

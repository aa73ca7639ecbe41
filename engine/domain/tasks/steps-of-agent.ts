import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';

/**
 * What an agent reads of the history of its task (docs/contract.md §2: its own records only): no steps of the time when
 * somebody else had the task, with what was said of them; not who else was asked or came into question; not what was paid
 * otherwise than to itself in cash.
 */
export function stepsOf(agentId: number, steps: readonly HistoryStepView[]): HistoryStepView[] {
  const own: HistoryStepView[] = [];
  let holder: number | null | typeof COURIER = null;
  for (const step of steps) {
    const { kind, toStatus, details } = step;
    if (toStatus === 'assigned') holder = (details?.['agentId'] as number | undefined) ?? COURIER;
    const isOthers = holder !== null && holder !== agentId;
    const isAboutOthers = details?.['agentId'] != null && details['agentId'] !== agentId;
    const isOthersMoney = kind === 'payment' && (details?.['method'] !== 'cash' || holder !== agentId);
    if (!isOthers && !isAboutOthers && !isOthersMoney) own.push(withoutCandidates(step));
    // Whoever loses the task is told of that by the step that takes it.
    if (toStatus === 'awaiting_assignment') holder = null;
  }
  return own;
}

/** An external one: whoever it is, no agent. */
const COURIER = 'courier';

function withoutCandidates(step: HistoryStepView): HistoryStepView {
  if (!step.details) return step;
  const { counts: _, nearest: __, lacking: ___, ...details } = step.details;
  return { ...step, details };
}

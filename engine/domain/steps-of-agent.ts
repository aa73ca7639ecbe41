import type { HistoryStepView } from '../../schema/task-history.ts';

/**
 * What an agent reads of the history of its task (decisions.md §2: its own records only): not who else was asked about it
 * or had it, with what was said of them; not who came into question; not what was paid otherwise than in cash.
 */
export function stepsOf(agentId: number, steps: readonly HistoryStepView[]): HistoryStepView[] {
  return steps.filter((step) => isOwn(agentId, step)).map(withoutCandidates);
}

function isOwn(agentId: number, { kind, details }: HistoryStepView): boolean {
  if (kind === 'payment') return details?.['method'] === 'cash';
  return [details?.['agentId'], details?.['previousAgentId']].every((id) => id == null || id === agentId);
}

function withoutCandidates(step: HistoryStepView): HistoryStepView {
  if (!step.details) return step;
  const { counts: _, nearest: __, lacking: ___, ...details } = step.details;
  return { ...step, details };
}

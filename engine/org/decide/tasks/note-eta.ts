import type { NoteEta } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { isAwaited } from '../../../domain/travel/arrival.ts';
import { isMaterial } from '../../../domain/travel/eta.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN, refuse } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';

export const noteEtaRule = rule<NoteEta>({
  needs: needsTask,
  task: taskById,
  decide: decideNoteEta,
});

/**
 * When the agent of a task under way is expected at its place. Nothing when it has arrived, when the task has another
 * agent by now or is not under way, and when the ETA has not moved by what matters. Refuses: 404.
 */
export function decideNoteEta(draft: Draft, { taskId, agentId, etaAt }: NoteEta, { now }: DecideContext): Decision {
  const before = draft.findTask(taskId)?.task;
  if (!before) return refuse(notFound('Task', taskId));
  if (before.agentId !== agentId || !isAwaited(before)) return NOTHING_SHOWN;
  const { etaAt: previousEtaAt } = before;
  const toldMs = previousEtaAt === null ? null : Date.parse(previousEtaAt);
  if (!isMaterial(toldMs, Date.parse(etaAt), Date.parse(now))) return NOTHING_SHOWN;
  const task: TaskRecord = { ...before, version: before.version + 1, etaAt, updatedAt: now };
  draft.put({ kind: 'put-task', task });
  const eta = { etaAt, previousEtaAt };
  draft.put({
    kind: 'tell',
    type: 'task.eta_updated',
    taskId,
    extra: eta,
    step: { kind: 'eta_updated', details: eta },
  });
  return NOTHING_SHOWN;
}

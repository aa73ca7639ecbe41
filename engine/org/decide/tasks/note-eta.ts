import type { NoteEta } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { dueAtOf } from '../../../domain/tasks/delay.ts';
import { isExpected } from '../../../domain/travel/arrival.ts';
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
 * When the agent of a task is expected at its place. Nothing when it has arrived, when the task has another agent by now
 * or none, and when the ETA has not moved by what matters. Warns when the ETA passes the time at which the task is due,
 * and again only after it was safe in between. Refuses: 404.
 */
export function decideNoteEta(draft: Draft, { taskId, agentId, etaAt }: NoteEta, { now }: DecideContext): Decision {
  const before = draft.findTask(taskId)?.task;
  if (!before) return refuse(notFound('Task', taskId));
  if (before.agentId !== agentId || !isExpected(before)) return NOTHING_SHOWN;
  const { etaAt: previousEtaAt } = before;
  const toldMs = previousEtaAt === null ? null : Date.parse(previousEtaAt);
  if (!isMaterial(toldMs, Date.parse(etaAt))) return NOTHING_SHOWN;
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
  const dueAt = dueAtOf(task);
  if (etaAt > dueAt && !(previousEtaAt !== null && previousEtaAt > dueAt)) {
    const risk = { etaAt, dueAt };
    draft.put({ kind: 'tell', type: 'task.at_risk', taskId, extra: risk, step: { kind: 'at_risk', details: risk } });
  }
  return NOTHING_SHOWN;
}

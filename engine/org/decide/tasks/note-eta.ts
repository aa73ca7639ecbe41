import type { NoteEta } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { isExpected } from '../../../domain/travel/arrival.ts';
import { hasNews } from '../../../domain/travel/eta.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, NOTHING_SHOWN, refuse } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';
import { tellRisk } from '../steps/tell-risk.ts';

export const noteEtaRule = rule<NoteEta>({
  needs: needsTask,
  task: taskById,
  decide: decideNoteEta,
});

/**
 * When the agent of a task is expected at its places. Nothing when it has arrived, when the task has another agent by now
 * or none, and when no ETA has moved by what matters. The pickup's last one stays when nothing is to be fetched any
 * more. Warns when the ETA passes the time at which the task is due, and again only after it was safe in between.
 * Refuses: 404.
 */
export function decideNoteEta(draft: Draft, command: NoteEta, { now }: DecideContext): Decision {
  const { taskId, agentId } = command;
  const before = draft.findTask(taskId)?.task;
  if (!before) return refuse(notFound('Task', taskId));
  if (before.agentId !== agentId || !isExpected(before)) return NOTHING_SHOWN;
  if (!hasNews(before, command)) return NOTHING_SHOWN;
  const { etaAt: previousEtaAt, pickupEtaAt: previousPickupEtaAt } = before;
  const { etaAt } = command;
  const pickupEtaAt = command.pickupEtaAt ?? previousPickupEtaAt;
  const task = changedTask(before, { etaAt, pickupEtaAt }, now);
  draft.put({ kind: 'put-task', task });
  const eta = { etaAt, previousEtaAt, pickupEtaAt, previousPickupEtaAt };
  draft.put({
    kind: 'tell',
    type: 'task.eta_updated',
    taskId,
    extra: eta,
    step: { kind: 'eta_updated', details: eta },
  });
  tellRisk(draft, before, task);
  return NOTHING_SHOWN;
}

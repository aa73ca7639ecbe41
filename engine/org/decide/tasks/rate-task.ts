import type { RateTask } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import type { TaskRating } from '../../../../schema/tasks/task.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { ratingViewOf } from '../../../views/task-view.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, refuse } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';

export const rateTaskRule = rule<RateTask>({
  needs: needsTask,
  task: taskById,
  decide: decideRateTask,
});

/** POST /tracking/tasks/:id/rating. Refuses: 404; 409 TASK_NOT_COMPLETED, TASK_ALREADY_RATED. */
export function decideRateTask(draft: Draft, { taskId, input }: RateTask, { now }: DecideContext): Decision {
  const before = draft.findTask(taskId)?.task;
  if (!before) return refuse(notFound('Task', taskId));
  if (before.status !== 'completed') return refuse(refusal('TASK_NOT_COMPLETED'));
  if (before.rating) return refuse(refusal('TASK_ALREADY_RATED'));
  const { score, comment = null } = input;
  const rating: TaskRating = { score, comment, at: now };
  const task = changedTask(before, { rating }, now);
  draft.put({ kind: 'put-task', task });
  const shown = ratingViewOf(task);
  const told = { rating: shown };
  draft.put({ kind: 'tell', type: 'task.rated', taskId, extra: told, step: { kind: 'rated', details: told } });
  return { ok: true, status: 201, shown: { kind: 'written', json: JSON.stringify(shown) } };
}

import type { SearchAgent } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import { newSearch } from '../../../domain/assignment/assignment-machine.ts';
import { judgeSearch } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { needsTask, rule, taskById } from '../rule.ts';
import { begun, draftSearch, settingsOf } from '../steps/task-search.ts';

export const searchAgentRule = rule<SearchAgent>({
  needs: needsTask,
  task: taskById,
  decide: decideSearchAgent,
});

/**
 * POST /tasks/:id/auto-assign: looks for an agent at once, also for a task of later. One that is looked for already goes on.
 * Refuses: 404; 409 STATUS_DERIVED, INVALID_STATUS_TRANSITION past awaiting_assignment.
 */
function decideSearchAgent(draft: Draft, { taskId }: SearchAgent, { now }: DecideContext): Decision {
  const task = draft.findTask(taskId)?.task;
  if (!task) return refuse(notFound('Task', taskId));
  if (task.search && task.search.startsAt === null) return done('task', taskId);
  const refused = judgeSearch(task);
  if (refused) return refuse(refused);
  const settings = settingsOf(draft);
  const search = begun(newSearch({ ...task, scheduledAt: null }, settings, now));
  const autoAssignmentStatus = task.status === 'new' ? 'pending' : 'searching';
  draftSearch(draft, task, { search, autoAssignmentStatus, autoAssignmentFailureReason: null }, now);
  return done('task', taskId);
}

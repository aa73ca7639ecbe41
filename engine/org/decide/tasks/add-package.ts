import type { AddPackage } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { judgeUpdate } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse } from '../decision.ts';
import { rule, taskById } from '../rule.ts';
import { checkFamilySize } from '../steps/family-size.ts';
import { draftPackage } from '../steps/new-task.ts';
import { withdrawIfUnsuited } from '../steps/task-search.ts';
import { tellUpdated } from '../steps/tell-updated.ts';

export const addPackageRule = rule<AddPackage>({
  needs: (needed, { taskId }) => needed.taskWithAsked(taskId),
  task: taskById,
  decide: decideAddPackage,
});

/** POST /tasks/:id/packages. Refuses: 404; 409 TASK_NOT_EDITABLE past awaiting_assignment,
 * TOO_MANY_PACKAGES, TASK_TOO_LARGE. */
export function decideAddPackage(draft: Draft, command: AddPackage, context: DecideContext): Decision {
  const { taskId, input, caller } = command;
  const facts = draft.findTask(taskId);
  const verdict = judgeUpdate(facts?.task, caller);
  if (verdict.kind === 'forbidden') return refuse(refusal('FORBIDDEN'));
  if (verdict.kind === 'refused') return refuse(verdict.refusal);
  if (!facts) return refuse(notFound('Task', taskId));
  if (facts.packages.length >= LIMITS.packagesPerTask) {
    return refuse(refusal('TOO_MANY_PACKAGES', undefined, { limit: LIMITS.packagesPerTask }));
  }
  const record = draftPackage(draft, input, taskId, context);
  const task = changedTask(facts.task, {}, context.now);
  draft.put({ kind: 'put-task', task, packages: [...facts.packages, record] });
  const tooLarge = checkFamilySize(draft, taskId);
  if (tooLarge) return refuse(tooLarge);
  tellUpdated(draft, taskId, ['packages'], { kind: 'package_added', details: { packageId: record.id } });
  for (const request of task.search?.open ?? []) withdrawIfUnsuited(draft, request, context.now);
  return done('package', record.id, 201);
}

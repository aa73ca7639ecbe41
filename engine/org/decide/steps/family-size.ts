import { type Refusal, refusal } from '../../../../schema/errors.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';

/**
 * Refuses 409 TASK_TOO_LARGE when a task, or its job, would hold more text than every event of it may carry. The body of
 * a batch has room for more, and packages that are moved are in no body. A change that leaves a task no longer than it was
 * `before` is never refused.
 */
export function checkFamilySize(draft: Draft, taskId: number, before?: TaskFacts): Refusal | undefined {
  const facts = draft.findTask(taskId)!;
  if (before && textChars(facts) <= textChars(before)) return undefined;
  const { task } = facts;
  const root = draft.findTask(task.parentId ?? taskId)!;
  const children = (root.task.childIds ?? []).map((id) => draft.findTask(id)!);
  const chars = [root, ...children].reduce((sum, facts) => sum + textChars(facts), 0);
  if (chars <= LIMITS.familyTextChars) return undefined;
  return refusal('TASK_TOO_LARGE', undefined, { limitChars: LIMITS.familyTextChars });
}

/** Notes and descriptions of a task and its packages. */
export function textChars({ task, packages }: Pick<TaskFacts, 'task' | 'packages'>): number {
  const own = (task.notes?.length ?? 0) + (task.description?.length ?? 0);
  return packages.reduce(
    (sum, { name, description, notes }) => sum + name.length + description.length + (notes?.length ?? 0),
    own,
  );
}

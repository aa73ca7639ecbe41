import { type Refusal, refusal } from '../../../../schema/errors.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';

/**
 * Refuses 409 TASK_TOO_LARGE when a task, or the job that it belongs to, would hold more text than is told of it with
 * every change. What comes in one request is bounded by its body; this bounds what many requests add up to.
 */
export function checkFamilySize(draft: Draft, taskId: number): Refusal | undefined {
  const { task } = draft.findTask(taskId)!;
  const root = draft.findTask(task.parentId ?? taskId)!;
  const children = (root.task.childIds ?? []).map((id) => draft.findTask(id)!);
  const chars = [root, ...children].reduce((sum, facts) => sum + textChars(facts), 0);
  if (chars <= LIMITS.familyTextChars) return undefined;
  return refusal('TASK_TOO_LARGE', undefined, { limitChars: LIMITS.familyTextChars });
}

function textChars({ task, packages }: TaskFacts): number {
  const own = (task.notes?.length ?? 0) + (task.description?.length ?? 0);
  return packages.reduce(
    (sum, { name, description, notes }) => sum + name.length + description.length + (notes?.length ?? 0),
    own,
  );
}

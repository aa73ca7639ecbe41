import { type Refusal, refusal } from '../../../../schema/errors.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { CreateTaskInput } from '../../../../schema/tasks/create-task.ts';
import type { PackageRecord } from '../../../../schema/tasks/package.ts';
import type { Draft } from '../../state/draft.ts';
import type { StateView, TaskFacts } from '../../state/state-view.ts';

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

/** Refuses 409 TASK_TOO_LARGE for a new task whose events would repeat more text of older tasks than a commit bears. */
export function checkTextBesideBody(draft: Draft, input: CreateTaskInput): Refusal | undefined {
  const limitChars = LIMITS.batchTextChars;
  return charsBesideBody(draft, input) > limitChars
    ? refusal('TASK_TOO_LARGE', LEFT_TOO_LONG, { limitChars })
    : undefined;
}

const LEFT_TOO_LONG = 'Its packages, and the tasks that they leave, hold too much text';

/** Notes and descriptions of a task and its packages. */
function textChars({ task, packages }: Pick<TaskFacts, 'task' | 'packages'>): number {
  const own = (task.notes?.length ?? 0) + (task.description?.length ?? 0);
  return packages.reduce((sum, one) => sum + packageChars(one), own);
}

export function packageChars({ name, description, notes }: Pick<PackageRecord, 'name' | 'description' | 'notes'>) {
  return name.length + description.length + (notes?.length ?? 0);
}

/** Texts and integration data of a task as an event shows it: a job with its children. */
export function shownChars(state: Pick<StateView, 'findTask'>, taskId: number): number {
  const ids = [taskId, ...(state.findTask(taskId)?.task.childIds ?? [])];
  return ids.reduce((sum, id) => {
    const facts = state.findTask(id);
    return facts ? sum + textChars(facts) + (JSON.stringify(facts.task.integrationData)?.length ?? 0) : sum;
  }, 0);
}

/**
 * The text that the events of a new task repeat, and that is not in its body: of packages that move to it, of the tasks
 * that they leave, and of the job that it joins. A task that packages leave has an event with those it keeps, so it
 * counts once with all.
 */
export function charsBesideBody(state: Pick<StateView, 'findTask' | 'findPackage'>, input: CreateTaskInput): number {
  let chars = input.parentId ? shownChars(state, input.parentId) : 0;
  for (const { packageIds } of [input, ...(input.children ?? [])]) {
    const owners = new Set<number>();
    for (const id of new Set(packageIds)) {
      const found = state.findPackage(id);
      if (found?.owner) owners.add(found.owner.id);
      else if (found) chars += packageChars(found.record);
    }
    for (const owner of owners) chars += shownChars(state, owner);
  }
  return chars;
}

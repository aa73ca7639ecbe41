import type { TaskActionsView } from '../../../schema/exceptions/task-actions.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { Answer, ApiCall } from '../live/protocol.ts';
import { newKey } from '../page/new-key.ts';
import { refusalText } from '../page/refusals.ts';
import { inParts } from '../records/in-parts.ts';
import { attention } from '../text/english-attention.ts';

/** How a remedy ended, in words. */
export interface Outcome {
  readonly isDone: boolean;
  readonly words: string;
}

type Ask = <T>(call: ApiCall) => Promise<Answer<T>>;

const { done } = attention;

/** Looks for a courier again. */
export async function searchAgain(ask: Ask, task: { readonly id: number; readonly code: string }): Promise<Outcome> {
  const answer = await ask({ method: 'POST', path: `/tasks/${task.id}/auto-assign`, key: newKey() });
  return outcomeOf(answer, () => done.search(task.code));
}

/** Makes the next attempt of a failed task. */
export async function attemptAgain(ask: Ask, taskId: number): Promise<Outcome> {
  const answer = await ask<TaskView>({ method: 'POST', path: `/tasks/${taskId}/reattempt`, body: {}, key: newKey() });
  return outcomeOf(answer, ({ code }) => done.reattempt(code));
}

/**
 * Takes tasks from their courier and looks for another one. Tasks on their way stay, and the words say why. More tasks than
 * one call takes go in several, up to the first that fails as a whole.
 */
export async function takeBack(ask: Ask, taskIds: readonly number[]): Promise<Outcome> {
  let count = 0;
  let problem: string | undefined;
  const partly = (why: string): Outcome => {
    return { isDone: false, words: count === 0 ? why : done.partly(count, taskIds.length - count, why) };
  };
  for (const part of inParts(taskIds)) {
    const taken = await act(ask, 'unassign', part);
    if (!taken.ok) return partly(refusalText(taken.failure));
    const ids = taken.data.items.flatMap((item) => (item.status === 'done' ? [item.taskId] : []));
    count += ids.length;
    const searched = ids.length === 0 ? undefined : await act(ask, 'auto_assign', ids);
    if (searched && !searched.ok) return partly(refusalText(searched.failure));
    problem ??= firstProblem(taken.data) ?? (searched && firstProblem(searched.data));
  }
  return problem === undefined ? { isDone: true, words: done.takeBack(count) } : partly(problem);
}

export async function enableWebhook(ask: Ask, webhookId: number): Promise<Outcome> {
  const answer = await ask({
    method: 'PATCH',
    path: `/webhooks/${webhookId}`,
    body: { isActive: true },
    key: newKey(),
  });
  return outcomeOf(answer, () => done.enable);
}

function act(ask: Ask, action: 'unassign' | 'auto_assign', taskIds: readonly number[]) {
  return ask<TaskActionsView>({ method: 'POST', path: '/tasks/actions', body: { action, taskIds }, key: newKey() });
}

function firstProblem({ items }: TaskActionsView): string | undefined {
  for (const item of items) {
    if (item.status === 'done') continue;
    const { message } = item.error;
    return Array.isArray(message) ? message.join('. ') : String(message);
  }
  return undefined;
}

function outcomeOf<T>(answer: Answer<T>, words: (data: T) => string): Outcome {
  if (answer.ok) return { isDone: true, words: words(answer.data) };
  return { isDone: false, words: refusalText(answer.failure) };
}

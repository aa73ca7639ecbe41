import { signal } from '@preact/signals';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { Answer } from '../live/protocol.ts';
import { callApi, couriers, tasksOf } from '../page/link.ts';
import { newKey } from '../page/new-key.ts';
import { ofUser } from '../page/of-user.ts';
import { failureOf, type ItemError, refusalText } from '../page/refusals.ts';
import { taskId } from '../page/state.ts';
import { type ActedOn, type Report, reportOf } from '../records/acted-on.ts';
import { inParts } from '../records/in-parts.ts';
import { stillWith } from '../records/still-with.ts';
import { text } from '../text/english.ts';
import { say } from '../ui/toasts.tsx';
import { deselect } from './selection.ts';

const { act: words } = text;

/** Tasks whose action the engine has not answered yet. They are shown as pending, never as done. */
export const pending = signal<ReadonlySet<number>>(new Set());

/** An action of which some tasks were refused. */
export type Refusals = ActedOn & Report & { readonly key: string };

/** The refusals that nobody has read yet. The first ones are shown. */
export const refusals = ofUser<readonly Refusals[]>([]);

interface ActionResult {
  readonly items: readonly {
    readonly taskId: number;
    readonly status: 'done' | 'failed';
    readonly error?: ItemError;
  }[];
  readonly done: number;
}

type Action = { readonly action: 'assign' | 'unassign' | 'auto_assign' | 'cancel' } & Record<string, unknown>;

async function whilePending<T>(ids: readonly number[], work: () => Promise<T>): Promise<T> {
  pending.value = new Set([...pending.peek(), ...ids]);
  try {
    return await work();
  } finally {
    const left = new Set(pending.peek());
    for (const id of ids) left.delete(id);
    pending.value = left;
  }
}

function post<T>(path: string, content: unknown): Promise<Answer<T>> {
  return callApi<T>({ method: 'POST', path, body: content, key: newKey() });
}

/** Does the same to many tasks, and shows how many were done and what was refused. */
async function actOn(
  ids: readonly number[],
  action: Action,
  done: (count: number) => string,
  undo?: () => void,
): Promise<void> {
  if (ids.length === 0) return;
  const result = await whilePending(ids, () => askFor(ids, action));
  const report = reportOf(result, ids.length);
  const { isWhole, isListed, fault, unconfirmed } = report;
  if (isWhole) {
    deselect(ids);
    return say(done(result.done), 'note', undo && { label: words.undo, act: undo });
  }
  if (isListed) {
    refusals.value = [...refusals.peek(), { key: newKey(), ...result, ...report }];
    return;
  }
  if (result.done > 0) say(done(result.done));
  if (fault !== null) say(result.done > 0 ? `${words.unconfirmed(unconfirmed)} ${fault}` : fault, 'fault');
}

/** One call takes so many tasks; more of them go in several, up to the first that fails as a whole. */
async function askFor(ids: readonly number[], action: Action): Promise<ActedOn> {
  let done = 0;
  const refused: ActedOn['refused'][number][] = [];
  for (const taskIds of inParts(ids)) {
    const answer = await post<ActionResult>('/tasks/actions', { ...action, taskIds });
    if (!answer.ok) return { done, refused, failure: answer.failure };
    done += answer.data.done;
    for (const { taskId, error } of answer.data.items)
      if (error) refused.push({ taskId, words: refusalText(failureOf(error)) });
  }
  return { done, refused };
}

const courierName = (id: number) => couriers.peek().find((courier) => courier.id === id)?.name ?? `${id}`;

/** Gives tasks to a courier: those that nobody has in one action, the others one by one from the courier that has them. */
export async function giveTo(ids: readonly number[], agentId: number): Promise<void> {
  const taken = await tasksOf({ about: 'given', taskIds: ids });
  const free = ids.filter((id) => !taken.includes(id));
  const name = courierName(agentId);
  await Promise.all([
    actOn(
      free,
      { action: 'assign', agentId },
      (count) => words.given(count, name),
      () => void undoGiving(free, agentId, name),
    ),
    ...taken.map((id) => reassign(id, agentId, name)),
  ]);
}

async function reassign(id: number, agentId: number, name: string): Promise<void> {
  const answer = await whilePending([id], () => post<TaskView>(`/tasks/${id}/reassign`, { agentId }));
  if (answer.ok) {
    deselect([id]);
    say(words.given(1, name));
  } else say(refusalText(answer.failure), 'fault');
}

/** Takes back what is still with the courier: a colleague may have given tasks to somebody else since. */
async function undoGiving(ids: readonly number[], agentId: number, name: string): Promise<void> {
  const still = await stillWith(agentId, ids, (path) => callApi({ method: 'GET', path }));
  if (!still.ok) return say(refusalText(still.failure), 'fault');
  if (still.data.length < ids.length) say(words.movedOn(ids.length - still.data.length, name));
  await unassign(still.data);
}

export function unassign(ids: readonly number[]): Promise<void> {
  return actOn(ids, { action: 'unassign' }, words.unassigned);
}

export function lookFor(ids: readonly number[]): Promise<void> {
  return actOn(ids, { action: 'auto_assign' }, words.looking);
}

export function cancel(ids: readonly number[], reason: string): Promise<void> {
  return actOn(ids, { action: 'cancel', ...(reason === '' ? {} : { reason }) }, words.cancelled);
}

/** Attempts a failed task again, and opens the new one. */
export async function reattempt(id: number, returnToPickup: boolean): Promise<void> {
  const answer = await whilePending([id], () => post<TaskView>(`/tasks/${id}/reattempt`, { returnToPickup }));
  if (!answer.ok) return say(refusalText(answer.failure), 'fault');
  taskId.value = answer.data.id;
  say(words.reattempted);
}

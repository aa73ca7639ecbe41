import { effect } from '@preact/signals';
import type { TaskRow } from '../live/protocol.ts';
import { isCursorLost, taskAtCursor } from '../page/cursor.ts';
import { focusedTask } from '../page/focused-card.ts';
import { board, list, tasksOf } from '../page/link.ts';
import { ofUser } from '../page/of-user.ts';
import { changeList, taskId, view } from '../page/state.ts';
import { openTask } from '../records/open-task.ts';

/** The tasks that the next action is about, besides the open one. */
export const selected = ofUser<ReadonlySet<number>>(new Set());
/** Where a range begins. */
const anchor = ofUser<number | undefined>(undefined);
// The worker counts those that are not in the list: the page has only the rows near its screen.
effect(() => changeList({ selected: [...selected.value] }));

export function toggleSelected(id: number): void {
  const next = new Set(selected.peek());
  if (!next.delete(id)) next.add(id);
  selected.value = next;
  anchor.value = id;
}

export function addSelected(ids: readonly number[]): void {
  if (ids.length > 0) selected.value = new Set([...selected.peek(), ...ids]);
}

/** Takes the tasks that were acted on out of the selection, and leaves the others. */
export function deselect(ids: readonly number[]): void {
  const left = new Set(selected.peek());
  for (const id of ids) left.delete(id);
  if (ids.some((id) => id === anchor.peek())) anchor.value = undefined;
  if (left.size < selected.peek().size) selected.value = left;
}

export function clearSelected(): void {
  anchor.value = undefined;
  if (selected.peek().size > 0) selected.value = new Set();
}

/** From the row that was selected last to this one, also where that is out of sight. */
export async function selectRange(to: number): Promise<void> {
  const from = anchor.peek();
  const range = from === undefined ? [] : await tasksOf({ about: 'between', from, to });
  if (range.length === 0) return toggleSelected(to);
  addSelected(range);
}

/** The task under the keyboard, which is the last that was pointed at, or the open one. */
export function target(): number | null {
  return isCursorLost() ? null : (taskAtCursor() ?? focusedTask() ?? taskId.peek());
}

/** Whether the user means the open task. Another one may be under the keyboard, and must not stand for it. */
export function meansOpenTask(): boolean {
  return taskId.peek() !== null && target() === taskId.peek();
}

/** The selected tasks; without any the one that the user means. */
export function targets(): number[] {
  if (selected.peek().size > 0) return [...selected.peek()];
  const one = target();
  return one === null ? [] : [one];
}

/** How many of the tasks do not belong to the list or the board that is shown, as far as they are selected. */
export function countAway(ids: readonly number[]): number {
  const away = new Set((view.value === 'board' ? board : list).value?.away);
  return ids.filter((id) => away.has(id)).length;
}

/** A task as the list or the board shows it; undefined for one that is not on the screen. */
export function rowOf(id: number): TaskRow | undefined {
  return rowsOnScreen().find((row) => row.id === id);
}

/** The name of a single task, for dialogs that act on it; undefined for several, and for one that the page does not hold. */
export function nameOfOne(ids: readonly number[]): string | undefined {
  const [id] = ids;
  if (id === undefined || ids.length > 1) return undefined;
  const open = openTask.peek();
  return rowOf(id)?.name ?? (open?.id === id ? open.name : undefined);
}

function rowsOnScreen(): TaskRow[] {
  if (view.peek() === 'board') return (board.peek()?.columns ?? []).flatMap(({ rows }) => rows);
  return (list.peek()?.entries ?? []).flatMap((entry) => (entry.kind === 'task' ? [entry.row] : []));
}

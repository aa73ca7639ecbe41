import { computed, effect, signal } from '@preact/signals';
import { list } from './link.ts';
import { ofUser } from './of-user.ts';
import { changeList, listQuery, taskId, view } from './state.ts';

/** The row that the keyboard went to, and its task once the page has it. */
interface Held {
  readonly at: number;
  readonly id: number | undefined;
}

const held = ofUser<Held | null>(null);
/** The keyboard goes into a list that is still on its way. */
const isEntering = signal(false);
// The open task is what the keyboard is about until it moves again; and each view has tasks of its own.
effect(() => {
  if (taskId.value !== undefined && view.value !== undefined) leaveCursor();
});

/** The task under the keyboard: it stays the same task when rows come before it. Undefined when it is not on the screen. */
const atCursor = computed((): { readonly at: number; readonly id: number } | undefined => {
  const part = list.value;
  if (!part || !held.value) return undefined;
  const { at, id } = held.value;
  const index = part.entries.findIndex(
    (entry, row) => entry.kind === 'task' && (id === undefined ? part.offset + row === at : entry.row.id === id),
  );
  const entry = part.entries[index];
  return entry?.kind === 'task' ? { at: part.offset + index, id: entry.row.id } : undefined;
});
// A row that came onto the screen after the keyboard went there.
effect(() => {
  const found = atCursor.value;
  if (found && held.peek()?.id === undefined) held.value = found;
});

/** The place in the list at which the keyboard is, counted in rows; null before it was used. */
export const cursor = computed(() => atCursor.value?.at ?? held.value?.at ?? null);

/** Undefined before the keyboard was used, and while its task is not on the screen. */
export function taskAtCursor(): number | undefined {
  return atCursor.value?.id;
}

/** Whether the keyboard is at a task that the page does not show: an action then has no task that the user means. */
export function isCursorLost(): boolean {
  return isEntering.value || (held.value !== null && atCursor.value === undefined);
}

export function leaveCursor(): void {
  held.value = null;
  isEntering.value = false;
}

/** Goes to the first task of the list that fits the search: who types quickly is ahead of it. */
export function enterList(): void {
  isEntering.value = true;
  // Its first rows are not here when the list was scrolled.
  changeList({ offset: 0 });
}
effect(() => {
  const part = list.value;
  if (!isEntering.value || part?.search !== listQuery.value.search || part.offset > 0) return;
  leaveCursor();
  step(-1, 1);
});

/** Moves by rows and skips headings. */
export function moveCursor(by: 1 | -1): void {
  const part = list.peek();
  if (!part || part.total === 0) return;
  const open = part.entries.findIndex((entry) => entry.kind === 'task' && entry.row.id === taskId.peek());
  step(cursor.peek() ?? (open >= 0 ? part.offset + open : -1), by);
}

function step(from: number, by: 1 | -1): void {
  const part = list.peek();
  if (!part) return;
  for (let at = from + by; at >= 0 && at < part.total; at += by) {
    const entry = part.entries[at - part.offset];
    if (entry?.kind === 'group') continue;
    held.value = { at, id: entry?.row.id };
    return;
  }
}

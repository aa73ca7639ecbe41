import { signal } from '@preact/signals';
import { list } from './link.ts';
import { taskId } from './state.ts';

/** The place in the list at which the keyboard is, counted in rows; null before it was used. */
export const cursor = signal<number | null>(null);

/** The task under the keyboard; undefined on a heading. */
export function taskAtCursor(): number | undefined {
  const part = list.peek();
  const at = cursor.peek();
  if (!part || at === null) return undefined;
  const entry = part.entries[at - part.offset];
  return entry?.kind === 'task' ? entry.row.id : undefined;
}

/** Moves by rows and skips headings. */
export function moveCursor(by: 1 | -1): void {
  const part = list.peek();
  if (!part || part.total === 0) return;
  const open = part.entries.findIndex((entry) => entry.kind === 'task' && entry.row.id === taskId.peek());
  const from = cursor.peek() ?? (open >= 0 ? part.offset + open : -1);
  for (let at = from + by; at >= 0 && at < part.total; at += by) {
    const entry = part.entries[at - part.offset];
    if (entry?.kind === 'group') continue;
    cursor.value = at;
    return;
  }
}

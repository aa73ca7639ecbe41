import type { Tell } from '../../state/changes.ts';
import type { Draft } from '../../state/draft.ts';

/**
 * Tells that fields of a task have changed; in its history that is a step `updated` of them, unless `step` says better.
 * `also`: more for the event.
 */
export function tellUpdated(
  draft: Draft,
  taskId: number,
  changed: readonly string[],
  step?: Tell['step'],
  also: Readonly<Record<string, unknown>> = {},
): void {
  draft.put({ ...updatedTell(taskId, changed, step), extra: { changed, ...also } });
}

export function updatedTell(
  taskId: number,
  changed: readonly string[],
  step: Tell['step'] = { kind: 'updated', details: { changed } },
): Tell {
  return { kind: 'tell', type: 'task.updated', taskId, extra: { changed }, step };
}

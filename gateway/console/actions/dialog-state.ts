import { signal } from '@preact/signals';
import { may } from '../page/link.ts';
import { draft } from '../page/state.ts';
import { unassign } from './act.ts';
import { targets } from './selection.ts';

/** The one dialog that is open, with the tasks that it is about. */
export type Dialog =
  | { readonly kind: 'courier'; readonly ids: readonly number[] }
  | { readonly kind: 'cancel'; readonly ids: readonly number[] }
  | { readonly kind: 'keys' };

export const dialog = signal<Dialog | null>(null);

export function closeDialog(): void {
  dialog.value = null;
}

export function askForCourier(ids = targets()): void {
  if (ids.length > 0 && may('tasks:assign')) dialog.value = { kind: 'courier', ids };
}

export function askToCancel(ids = targets()): void {
  if (ids.length > 0 && may('tasks:change')) dialog.value = { kind: 'cancel', ids };
}

export function takeBack(ids = targets()): void {
  if (ids.length > 0 && may('tasks:assign')) void unassign(ids);
}

export function beginTask(): void {
  if (may('tasks:create')) draft.value = { pin: null };
}

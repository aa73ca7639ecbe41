import { leaveCursor, moveCursor, taskAtCursor } from '../page/cursor.ts';
import { isDrafting } from '../page/draft.ts';
import { moveCard, moveColumn } from '../page/focused-card.ts';
import { session } from '../page/link.ts';
import { isPlacing } from '../page/pin.ts';
import { go, taskId, view } from '../page/state.ts';
import {
  askForCourier,
  askToCancel,
  attemptAgain,
  beginTask,
  dialog,
  editTask,
  lookForCourier,
  takeBack,
} from './dialog-state.ts';
import { clearSelected, selected, target, toggleSelected } from './selection.ts';

const CHORD_MS = 1_200;
/** Keys that go on while they are held. An action happens once, however long a finger rests on its key. */
const HELD: ReadonlySet<string> = new Set(['j', 'k', 'h', 'l']);

/** Keys that lead somewhere, from every view. */
const ANYWHERE: Readonly<Record<string, () => void>> = {
  'g m': () => go('map'),
  'g b': () => go('board'),
  'g a': () => go('attention'),
  'g s': () => go('settings'),
  'g h': () => go('charts'),
  'g c': () => go('couriers'),
  '?': () => {
    dialog.value = { kind: 'keys' };
  },
};

/** Keys that act on tasks. */
const ON_TASKS: Readonly<Record<string, () => void>> = {
  '/': () => document.querySelector<HTMLInputElement>('#search')?.focus(),
  j: () => move(1),
  k: () => move(-1),
  h: () => moveColumn(-1),
  l: () => moveColumn(1),
  x: () => {
    const id = target();
    if (id !== null) toggleSelected(id);
  },
  Enter: () => {
    taskId.value = taskAtCursor() ?? taskId.peek();
  },
  Escape: closeNearest,
  a: () => askForCourier(),
  r: () => askForCourier(),
  f: () => lookForCourier(),
  u: () => takeBack(),
  c: () => askToCancel(),
  e: editTask,
  y: attemptAgain,
  n: beginTask,
};

/** Keys that lead into the list of what needs a dispatcher, which has keys of its own. */
const ON_ATTENTION: Readonly<Record<string, () => void>> = {
  j: enterAlerts,
  ArrowDown: enterAlerts,
};

function enterAlerts(): void {
  document.querySelector<HTMLElement>('.alert')?.focus();
}

function move(by: 1 | -1): void {
  if (view.peek() === 'board') moveCard(by);
  else moveCursor(by);
}

function closeNearest(): void {
  if (isPlacing.peek()) isPlacing.value = false;
  else if (isDrafting.peek()) isDrafting.value = false;
  else if (selected.peek().size > 0) clearSelected();
  else if (taskId.peek() !== null) taskId.value = null;
  else leaveCursor();
}

/** The keys of the view that is open. */
function keysOfView(): Readonly<Record<string, () => void>> {
  const now = view.peek();
  if (now === 'map' || now === 'board') return ON_TASKS;
  return now === 'attention' ? ON_ATTENTION : {};
}

/** An open dialog has the keys, in every view. */
function hasDialog(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

/** The field of a dialog that has just closed still has the focus for a moment: nobody types there any more. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target.closest('dialog:not([open])')) return false;
  return target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** Also while one types: `Ctrl K`, or `⌘ K`, means nothing else there. */
function openPalette(event: KeyboardEvent): void {
  const isPalette =
    (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k';
  if (!isPalette || session.peek().state !== 'signed-in' || hasDialog()) return;
  event.preventDefault();
  dialog.value = { kind: 'palette' };
}

/** Keys work where nothing is being typed, and leave alone what the browser does with a modifier. */
export function startKeys(): void {
  let first = '';
  let firstAt = 0;
  addEventListener('keydown', openPalette);
  addEventListener('keydown', (event) => {
    const isOurs = session.peek().state === 'signed-in' && !hasDialog() && !isTyping(event.target);
    if (!isOurs || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const isButton = event.target instanceof HTMLElement && event.target.closest('button, a') !== null;
    if (event.key === 'Enter' && isButton) return;
    const chord = event.timeStamp - firstAt < CHORD_MS ? `${first} ${event.key}` : '';
    const act = ANYWHERE[chord] ?? ANYWHERE[event.key] ?? keysOfView()[event.key];
    first = chord in ANYWHERE ? '' : event.key;
    firstAt = event.timeStamp;
    if (!act) return;
    event.preventDefault();
    if (!event.repeat || HELD.has(event.key)) act();
  });
}

import { computed, effect, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { cursor } from './cursor.ts';
import { isDrafting } from './draft.ts';
import { isPlacing } from './pin.ts';
import { taskId } from './state.ts';

const narrow = matchMedia('(max-width: 760px)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});

export const hasPanel = computed(() => taskId.value !== null || isDrafting.value);
/** On a narrow screen the panel lies over the rest of its view, and no key leads under it. */
export const isCovered = computed(() => isNarrow.value && hasPanel.value && !isPlacing.value);

/** Where the focus was when the panel opened, and the newest task in it. */
let opener: Element | null = null;
let lastTask: number | null = null;
// At once: what is covered loses the focus when the page is drawn.
effect(() => {
  if (hasPanel.value) opener = document.activeElement;
});
effect(() => {
  lastTask = taskId.value ?? lastTask;
});

/** The panel has the focus while it covers the rest, and what had it before gets it back. */
export function useFocusInPanel(): void {
  const isOver = isCovered.value;
  useLayoutEffect(() => {
    if (!isOver) return;
    const panel = document.querySelector<HTMLElement>('.panel');
    if (panel?.contains(document.activeElement)) return giveFocusBackLater;
    panel?.focus({ preventScroll: true });
    // On a low screen the page scrolls, and the panel begins where the list did.
    panel?.scrollIntoView({ block: 'nearest' });
    return giveFocusBackLater;
  }, [isOver]);
}

function giveFocusBackLater(): void {
  // The rest takes a focus once all of the page is drawn.
  queueMicrotask(giveFocusBack);
}

function giveFocusBack(): void {
  const isNowhere = document.activeElement === null || document.activeElement === document.body;
  if (hasPanel.peek() || !isNowhere) return;
  const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
  // A page that began with the task, or a form that became one. The keyboard may be at another row meanwhile.
  const row = cursor.peek() === null ? document.querySelector<HTMLElement>(`[data-task="${lastTask}"]`) : null;
  (isThere ? (opener as HTMLElement) : row)?.focus();
}

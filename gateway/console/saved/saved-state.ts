import { computed, effect, signal } from '@preact/signals';
import { session } from '../page/link.ts';
import { changeList, listQuery, NO_LIST_FILTER, phonePane, savedView } from '../page/state.ts';
import { savedText as words } from '../text/english-saved.ts';
import { say } from '../ui/toasts.tsx';
import {
  filterOf,
  isSameFilter,
  MOST_VIEWS,
  readViews,
  renamed,
  type SavedView,
  withView,
  withViewAgain,
} from './saved-views.ts';

/** The views of this user in this organization. The API has no place for views, so this browser keeps them. */
const place = computed(() => {
  const now = session.value;
  if (now.state !== 'signed-in' || !now.caller.organization) return null;
  return `dispatch-console-views-${now.caller.organization.id}-${now.caller.user.id}`;
});
const writes = signal(0);
addEventListener('storage', () => {
  writes.value += 1;
});

export const savedViews = computed((): readonly SavedView[] => {
  // Read again after each write, of another tab too.
  writes.value;
  return place.value === null ? [] : readViews(localStorage.getItem(place.value));
});

function keep(views: readonly SavedView[]): void {
  if (place.peek() === null) return;
  try {
    localStorage.setItem(place.peek()!, JSON.stringify(views));
  } catch {
    return say(words.full, 'fault');
  }
  writes.value += 1;
}

export function saveView(name: string): void {
  keep(withView(savedViews.peek(), { name, filter: filterOf(listQuery.peek()) }));
  savedView.value = name;
}

export function openView(name: string): void {
  savedView.value = name;
  phonePane.value = 'list';
}

export function renameView(from: string, to: string): void {
  const isOpen = savedView.peek() === from;
  if (isOpen) savedView.value = null;
  keep(renamed(savedViews.peek(), from, to));
  if (isOpen) savedView.value = to;
}

/** Returns the way back, which leaves what was saved, renamed and deleted meanwhile as it is. */
export function deleteView(name: string): () => void {
  const before = savedViews.peek();
  const at = before.findIndex((view) => view.name === name);
  if (savedView.peek() === name) savedView.value = null;
  keep(before.filter((view) => view.name !== name));
  return () => {
    const now = savedViews.peek();
    if (now.length >= MOST_VIEWS) return say(words.many(MOST_VIEWS), 'fault');
    keep(withViewAgain(now, before[at]!, at));
  };
}

/** Shows the tasks of the view that the address names, and forgets its name once the list is another one. */
export function startSavedViews(): void {
  let applied: string | null = null;
  effect(() => {
    const [name, query] = [savedView.value, listQuery.value];
    if (place.value === null) return;
    const view = savedViews.value.find((each) => each.name === name);
    if (name === null) applied = null;
    else if (!view) {
      say(words.missing(name), 'fault');
      savedView.value = null;
    } else if (applied !== name) {
      applied = name;
      changeList({ ...NO_LIST_FILTER, ...view.filter });
    } else if (!isSameFilter(query, view.filter)) savedView.value = null;
  });
}

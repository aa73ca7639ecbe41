import { computed, effect, signal } from '@preact/signals';
import type { BoardQuery, ListQuery } from '../live/protocol.ts';
import { caller, connection, session, watch } from './link.ts';
import { ofUser } from './of-user.ts';

export type View = 'map' | 'board' | 'attention' | 'couriers' | 'charts' | 'settings';
export type Theme = 'system' | 'light' | 'dark';

const THEME_KEY = 'dispatch-console-theme';
const VIEWS: readonly View[] = ['map', 'board', 'attention', 'couriers', 'charts', 'settings'];

export const view = signal<View>('map');
export const taskId = ofUser<number | null>(null);
/** The courier whose page is open among the couriers. */
export const courierId = ofUser<number | null>(null);
/** The section of the settings that is open; null for the first one. */
export const section = ofUser<string | null>(null);
/** The courier whose stops the map joins. */
export const agentId = ofUser<number | null>(null);
/** The map goes along with the chosen courier. */
export const isFollowing = ofUser(false);
export const theme = signal<Theme>(readTheme());
/** The theme as the screen shows it. */
export const shownTheme = signal<'light' | 'dark'>('light');
/** A list of everything that is open. */
export const NO_LIST_FILTER = {
  search: '',
  statuses: [],
  agentId: null,
  onlyLate: false,
  ended: null,
  offset: 0,
} as const satisfies Partial<ListQuery>;

const FIRST_LIST: ListQuery = {
  ...NO_LIST_FILTER,
  withDone: false,
  grouping: 'courier',
  closed: [],
  limit: 60,
  isHeld: false,
  selected: [],
};
export const listQuery = ofUser(FIRST_LIST);

/** The name of the saved view that the list shows. */
export const savedView = ofUser<string | null>(null);

/** The columns of the board, and the parts of them that are on the screen. It has the filters of the list. */
export const boardGrouping = signal<'stage' | 'courier'>('stage');
export const boardRanges = signal<BoardQuery['ranges']>({});
export const isBoardHeld = signal(false);

/** On a phone one thing fills the screen. */
export const phonePane = signal<'list' | 'map'>('list');

/** The clock of the server, in milliseconds, a second at a time. */
export const nowMs = signal(Date.now());
/** Without a sign of life from the worker for this long, the screen no longer counts as true. */
const DOUBT_MS = 10_000;
/** The connection as the page knows it: a worker that has died cannot say so. */
export const shownConnection = computed(() => {
  const now = connection.value;
  if (now?.state !== 'live' || nowMs.value - now.seenAtMs < DOUBT_MS) return now;
  return { ...now, state: 'cut' as const };
});
/** Whether nothing can be asked at the moment, as far as the page knows. */
export const isCutOff = computed(() => {
  if (session.value.state !== 'signed-in') return true;
  const now = shownConnection.value;
  return now?.state === 'cut' || (now?.state === 'loading' && now.problem !== null);
});
export const timeZone = computed(() => caller.value?.organization?.timeZone ?? 'UTC');

const boardQuery = computed((): BoardQuery => {
  const { search, onlyLate, agentId, selected } = listQuery.value;
  const stages = { grouping: boardGrouping.value, isHeld: isBoardHeld.value, withDone: true };
  return { list: { ...FIRST_LIST, search, onlyLate, agentId, selected, ...stages }, ranges: boardRanges.value };
});

/** Whether the board leaves tasks out of its columns. */
export const isBoardFiltered = computed(() => {
  const { search, onlyLate, agentId } = boardQuery.value.list;
  return search !== '' || onlyLate || agentId !== null;
});

export function changeList(change: Partial<ListQuery>): void {
  const before = listQuery.peek();
  const keys = Object.keys(change) as (keyof ListQuery)[];
  if (keys.some((key) => change[key] !== before[key])) listQuery.value = { ...before, ...change };
}

/** Opens a view; that of the couriers with every one of them. */
export function go(next: View): void {
  courierId.value = null;
  view.value = next;
}

/** Opens the list with a change of its filters. */
export function showList(change: Partial<ListQuery>): void {
  go('map');
  phonePane.value = 'list';
  changeList(change);
}

function readTheme(): Theme {
  const kept = localStorage.getItem(THEME_KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

function readAddress(): void {
  const [, , name = '', record = ''] = location.pathname.split('/');
  view.value = VIEWS.find((known) => known === name) ?? 'map';
  courierId.value = view.value === 'couriers' ? idIn(record) : null;
  section.value = view.value === 'settings' ? record || null : null;
  const search = new URLSearchParams(location.search);
  taskId.value = idIn(search.get('task') ?? '');
  savedView.value = search.get('view');
}

function idIn(text: string): number | null {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

function address(): string {
  const record = { couriers: courierId.value, settings: section.value }[view.value as 'couriers' | 'settings'] ?? null;
  const path = `/console${view.value === 'map' ? '' : `/${view.value}`}${record === null ? '' : `/${record}`}`;
  const search = new URLSearchParams();
  if (taskId.value !== null) search.set('task', `${taskId.value}`);
  if (savedView.value !== null && view.value === 'map') search.set('view', savedView.value);
  return search.size === 0 ? path : `${path}?${search}`;
}

/** Makes the address one of the history, unless it is there already. */
function keepAddress(): void {
  const next = address();
  if (next !== location.pathname + location.search) history.pushState(null, '', next);
}

/** Keeps address, theme and worker in step with the state. */
export function startState(): void {
  readAddress();
  addEventListener('popstate', readAddress);
  effect(() => {
    address();
    // Once everything that belongs to one step is set: an address between two of them is no place to come back to.
    queueMicrotask(keepAddress);
  });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const isDark = signal(dark.matches);
  dark.addEventListener('change', () => {
    isDark.value = dark.matches;
  });
  effect(() => {
    const shown = theme.value === 'system' ? (isDark.value ? 'dark' : 'light') : theme.value;
    document.documentElement.className = shown;
    shownTheme.value = shown;
    localStorage.setItem(THEME_KEY, theme.value);
  });
  effect(() => {
    if (session.value.state !== 'signed-in') return;
    watch({
      list: view.value === 'map' ? listQuery.value : null,
      board: view.value === 'board' ? boardQuery.value : null,
      taskId: taskId.value,
      courierId: courierId.value,
      map: view.value === 'map',
    });
  });
  setInterval(() => {
    nowMs.value = Date.now() + (connection.peek()?.clockOffsetMs ?? 0);
  }, 1_000);
}

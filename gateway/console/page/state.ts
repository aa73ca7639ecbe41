import { computed, effect, signal } from '@preact/signals';
import type { ListQuery } from '../live/protocol.ts';
import { connection, session, watch } from './link.ts';

export type View = 'map' | 'attention' | 'couriers' | 'settings';
export type Theme = 'system' | 'light' | 'dark';

const THEME_KEY = 'dispatch-console-theme';
const VIEWS: readonly View[] = ['map', 'attention', 'couriers', 'settings'];

export const view = signal<View>('map');
export const taskId = signal<number | null>(null);
/** The courier whose stops the map joins. */
export const agentId = signal<number | null>(null);
export const theme = signal<Theme>(readTheme());
/** The theme as the screen shows it. */
export const shownTheme = signal<'light' | 'dark'>('light');
export const listQuery = signal<ListQuery>({
  search: '',
  statuses: [],
  agentId: null,
  onlyLate: false,
  withDone: false,
  grouping: 'courier',
  closed: [],
  offset: 0,
  limit: 60,
  isHeld: false,
});

/** The task that is being made, with its pin once it is set; null for none. */
export const draft = signal<{ readonly pin: { readonly latitude: number; readonly longitude: number } | null } | null>(
  null,
);

/** On a phone one thing fills the screen. */
export const phonePane = signal<'list' | 'map'>('list');

/** The clock of the server, in milliseconds, a second at a time. */
export const nowMs = signal(Date.now());
export const timeZone = computed(() => {
  const now = session.value;
  return now.state === 'signed-in' ? (now.caller.organization?.timeZone ?? 'UTC') : 'UTC';
});

export function changeList(change: Partial<ListQuery>): void {
  const before = listQuery.peek();
  const keys = Object.keys(change) as (keyof ListQuery)[];
  if (keys.some((key) => change[key] !== before[key])) listQuery.value = { ...before, ...change };
}

export function go(next: View): void {
  view.value = next;
}

function readTheme(): Theme {
  const kept = localStorage.getItem(THEME_KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

function readAddress(): void {
  const name = location.pathname.split('/')[2] ?? '';
  view.value = VIEWS.find((known) => known === name) ?? 'map';
  const id = Number(new URLSearchParams(location.search).get('task'));
  taskId.value = Number.isSafeInteger(id) && id > 0 ? id : null;
}

function addressOf(at: View, task: number | null): string {
  return `/console${at === 'map' ? '' : `/${at}`}${task === null ? '' : `?task=${task}`}`;
}

/** Keeps address, theme and worker in step with the state. */
export function startState(): void {
  readAddress();
  addEventListener('popstate', readAddress);
  effect(() => {
    const address = addressOf(view.value, taskId.value);
    if (address !== location.pathname + location.search) history.pushState(null, '', address);
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
    watch({ list: view.value === 'map' ? listQuery.value : null, taskId: taskId.value, map: view.value === 'map' });
  });
  setInterval(() => {
    nowMs.value = Date.now() + (connection.peek()?.clockOffsetMs ?? 0);
  }, 1_000);
}

import type { ListQuery } from '../live/protocol.ts';
import { text } from '../text/english.ts';

/** The choices that make a list what it is, without the part of it that is on the screen. */
export type ListFilter = Pick<
  ListQuery,
  'search' | 'statuses' | 'agentId' | 'onlyLate' | 'withDone' | 'ended' | 'grouping'
>;

export interface SavedView {
  readonly name: string;
  readonly filter: ListFilter;
}

/** A browser keeps little, and a palette is no place for hundreds. */
export const MOST_VIEWS = 50;

export function filterOf({ search, statuses, agentId, onlyLate, withDone, ended, grouping }: ListFilter): ListFilter {
  return { search: search.trim(), statuses: [...statuses].sort(), agentId, onlyLate, withDone, ended, grouping };
}

export function isSameFilter(one: ListFilter, other: ListFilter): boolean {
  return JSON.stringify(filterOf(one)) === JSON.stringify(filterOf(other));
}

/** The views in a stored text. An older or a newer console may have written it: views that make no sense here are left out. */
export function readViews(kept: string | null): SavedView[] {
  let stored: unknown;
  try {
    stored = JSON.parse(kept ?? '[]');
  } catch {
    return [];
  }
  return Array.isArray(stored) ? stored.flatMap(viewsIn).slice(0, MOST_VIEWS) : [];
}

function viewsIn(stored: unknown): SavedView[] {
  const { name, filter } = (stored ?? {}) as { name?: unknown; filter?: Record<string, unknown> };
  if (typeof name !== 'string' || name === '' || typeof filter !== 'object' || filter === null) return [];
  const { search, statuses, agentId, onlyLate, withDone, ended, grouping } = filter;
  const isKnown =
    typeof search === 'string' &&
    Array.isArray(statuses) &&
    statuses.every((status) => text.status[status] !== undefined) &&
    (agentId === null || Number.isSafeInteger(agentId)) &&
    (ended === null || ended === 'on-time' || ended === 'failed') &&
    (grouping === 'courier' || grouping === 'status');
  if (!isKnown) return [];
  const flags = { onlyLate: onlyLate === true, withDone: withDone === true };
  return [{ name, filter: { search, statuses, agentId: agentId as number | null, ended, grouping, ...flags } }];
}

/** Adds a view at the end, or puts it in the place of the one with its name. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  const at = views.findIndex(({ name }) => name === view.name);
  return at < 0 ? [...views, view] : views.with(at, view);
}

/** Puts a view that was deleted back in its place. Views that were saved meanwhile stay, also one of its name. */
export function withViewAgain(views: readonly SavedView[], view: SavedView, at: number): readonly SavedView[] {
  return views.some(({ name }) => name === view.name) ? views : views.toSpliced(at, 0, view);
}

/** Gives a view another name. A view that has it already stays, and nothing changes. */
export function renamed(views: readonly SavedView[], from: string, to: string): readonly SavedView[] {
  if (to === '' || views.some(({ name }) => name === to)) return views;
  return views.map((view) => (view.name === from ? { ...view, name: to } : view));
}

import { digestOf } from '../schema/fields/page-query.ts';
import type { Identity, Page, Route } from './route.ts';

/**
 * Cursors go out and come back with a mark of their list: the organization, the path and its ids. The schema of a query,
 * which reads what stands before the mark, knows the filters alone.
 */

/** No letter of base64url, in which cursors are written. */
const BEFORE_MARK = '.';
const MARK_RADIX = 36;
/** The length of 32 bits. Marks are of one length, so that a cursor that lost its end is not one without a mark. */
const MARK_CHARS = 7;

/** The mark of the list that a request is about. `me` is the same list as the id that it stands for. */
export function listMarkOf(
  route: Route,
  { organizationId, caller }: Identity,
  params: Readonly<Record<string, string>>,
): string {
  const own = route.kind === 'api' && route.me ? { id: `${caller.agentId}` } : {};
  return digestOf(JSON.stringify([organizationId, route.path, { ...own, ...params }]))
    .toString(MARK_RADIX)
    .padStart(MARK_CHARS, '0');
}

/**
 * The cursor without its mark. One with the mark of another list becomes a text that no list takes. One of release 0.2 or
 * before has no mark, and goes on where it did.
 */
export function unmarked(cursor: string, mark: string): string {
  const end = cursor.indexOf(BEFORE_MARK);
  if (end === -1) return cursor;
  return cursor.slice(end + 1) === mark ? cursor.slice(0, end) : '';
}

/** The `data` of a page with the cursor behind its items. */
export function dataOfPage({ data, nextCursor }: Page, mark: string): string {
  const shown = nextCursor === null ? 'null' : `"${nextCursor}${BEFORE_MARK}${mark}"`;
  return `${data.slice(0, -1)},"nextCursor":${shown}}`;
}

import type { ListPage } from '../engine/store/list-page.ts';
import { formatPosition } from '../schema/events.ts';
import type { RouteAnswer } from './route.ts';

/** Answers with a page of a list, true at its place in the log. */
export function pageAnswer<Item>(
  history: string,
  message: string,
  { items, count, nextCursor, sequence }: ListPage<Item>,
  encode: (item: Item) => string,
): RouteAnswer {
  const shown = items.map((item) => encode(item)).join(',');
  const data = `{"items":[${shown}],"count":${count}}`;
  return { status: 200, message, data, nextCursor, position: formatPosition(history, sequence) };
}

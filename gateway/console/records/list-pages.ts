import type { Answer } from '../live/protocol.ts';

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The API gives at most so many at once. */
const PAGE = 100;

/** The pages of a list of the API, one after the other. A refusal is the last. */
export async function* listPages<Item>(
  path: string,
  read: (path: string) => Promise<Answer<ListPage<Item>>>,
): AsyncGenerator<Answer<ListPage<Item>>, void> {
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`;
  for (let next: string | null = first; next !== null; ) {
    const answer: Answer<ListPage<Item>> = await read(next);
    yield answer;
    const cursor: string | null = answer.ok ? answer.data.nextCursor : null;
    next = cursor === null ? null : `${first}&cursor=${encodeURIComponent(cursor)}`;
  }
}

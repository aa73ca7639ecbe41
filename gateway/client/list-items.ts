/** The parts of a page that lead on. A list has one of them, or a `page` to count up. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** How many the whole list has; the page, where there is a cursor. */
  readonly count: number;
  readonly nextCursor?: string | null;
  readonly nextAfter?: number;
}

type Query = Readonly<Record<string, unknown>>;

/**
 * Yields every item of a list. Reads the next page when the loop asks for it: by its cursor where the list has one,
 * so that records made meanwhile shift nothing, else by its number.
 */
export async function* listItems<Item>(
  read: (query: Query) => Promise<ListPage<Item>>,
  query: Query,
): AsyncGenerator<Item, void, undefined> {
  let yielded = 0;
  for (let next: Query | undefined = query; next; ) {
    const page: ListPage<Item> = await read(next);
    yield* page.items;
    yielded += page.items.length;
    next = page.items.length === 0 ? undefined : nextQuery(next, page, yielded);
  }
}

function nextQuery(
  query: Query,
  { count, nextCursor, nextAfter }: ListPage<unknown>,
  yielded: number,
): Query | undefined {
  if (nextCursor === null) return undefined;
  if (nextCursor !== undefined) {
    const { page: _, ...rest } = query;
    return { ...rest, cursor: nextCursor };
  }
  if (nextAfter !== undefined) return { ...query, after: nextAfter };
  return yielded < count ? { ...query, page: Number(query['page'] ?? 1) + 1 } : undefined;
}

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../live/protocol.ts';
import { callApi } from '../page/link.ts';
import { isCutOff } from '../page/state.ts';

/** The API gives at most so many at once. */
const PAGE = 100;

interface ListAnswer<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Every record of a list of the API, page after page as they come. Cut off, it waits for the connection. */
export function useAll<Item>(path: string): readonly Item[] {
  const [items, setItems] = useState<readonly Item[]>([]);
  const isWhole = useRef(false);
  const isCut = isCutOff.value;
  useEffect(() => {
    if (isCut || isWhole.current) return;
    const left = new AbortController();
    void readAll<Item>(path, left.signal, setItems).then((whole) => {
      isWhole.current = whole;
    });
    return () => left.abort();
  }, [path, isCut]);
  return items;
}

/** Resolves to whether it came to the end of the list. */
async function readAll<Item>(path: string, left: AbortSignal, show: (found: Item[]) => void): Promise<boolean> {
  const found: Item[] = [];
  for (let next = ''; ; ) {
    const answer: Answer<ListAnswer<Item>> = await callApi({ method: 'GET', path: `${path}?limit=${PAGE}${next}` });
    if (left.aborted || !answer.ok) return false;
    found.push(...answer.data.items);
    show([...found]);
    if (answer.data.nextCursor === null) return true;
    next = `&cursor=${encodeURIComponent(answer.data.nextCursor)}`;
  }
}

import { useEffect, useRef, useState } from 'preact/hooks';
import { callApi } from '../page/link.ts';
import { isCutOff } from '../page/state.ts';
import { listPages } from './list-pages.ts';

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
  const pages = listPages<Item>(path, (page) => callApi({ method: 'GET', path: page }));
  for await (const answer of pages) {
    if (left.aborted || !answer.ok) return false;
    found.push(...answer.data.items);
    show([...found]);
  }
  return true;
}

import type { ListDiff } from '../protocol.ts';

/** Remembers which items of a list a page has, and finds those that are new to it. Of thousands of couriers few move in a moment. */
export class SentList<Item extends { readonly id: number }> {
  #sent: Map<number, Item> | undefined;

  /** Undefined when the page knows the list as it is. The first one is the whole list. */
  diff(items: readonly Item[]): ListDiff<Item> | undefined {
    const before = this.#sent;
    const sent = new Map<number, Item>();
    const put: Item[] = [];
    for (const item of items) {
      const known = before?.get(item.id);
      const isKnown = known !== undefined && isSame(known, item);
      sent.set(item.id, isKnown ? known : item);
      if (!isKnown) put.push(item);
    }
    this.#sent = sent;
    if (!before) return { isWhole: true, put, gone: [] };
    const gone = [...before.keys()].filter((id) => !sent.has(id));
    return put.length + gone.length === 0 ? undefined : { isWhole: false, put, gone };
  }
}

/** A field that is an object is the same only as the same object. */
function isSame<Item extends object>(one: Item, other: Item): boolean {
  if (one === other) return true;
  for (const field in one) if (one[field] !== other[field]) return false;
  return true;
}

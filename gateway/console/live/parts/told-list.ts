import type { ListDiff } from '../protocol.ts';

/** What a page was told of a list, so that it is told only what is new. At thousands of couriers few move in a moment. */
export class ToldList<Item extends { readonly id: number }> {
  #told: Map<number, Item> | undefined;

  /** Undefined when the page knows the list as it is. The first one is the whole list. */
  diff(items: readonly Item[]): ListDiff<Item> | undefined {
    const before = this.#told;
    const told = new Map<number, Item>();
    const put: Item[] = [];
    for (const item of items) {
      const known = before?.get(item.id);
      const isKnown = known !== undefined && isSame(known, item);
      told.set(item.id, isKnown ? known : item);
      if (!isKnown) put.push(item);
    }
    this.#told = told;
    if (!before) return { isWhole: true, put, gone: [] };
    const gone = [...before.keys()].filter((id) => !told.has(id));
    return put.length + gone.length === 0 ? undefined : { isWhole: false, put, gone };
  }
}

/** A field that is an object is the same only as the same object. */
function isSame<Item extends object>(one: Item, other: Item): boolean {
  if (one === other) return true;
  for (const field in one) if (one[field] !== other[field]) return false;
  return true;
}

export interface HeldItem<Item> {
  readonly item: Item;
  /** Its cause is gone, and it leaves when the list is let loose. */
  readonly isGone: boolean;
}

export interface HeldList<Item> {
  readonly shown: readonly HeldItem<Item>[];
  /** Items that came while the list was held. */
  readonly waiting: number;
}

/**
 * The list to show. Held, it keeps the order of `before`: nothing moves under the pointer, changed items change in their
 * place, gone ones stay as gone, and new ones are counted.
 */
export function heldOrder<Item extends { readonly key: string }>(
  before: readonly HeldItem<Item>[],
  present: readonly Item[],
  isHeld: boolean,
): HeldList<Item> {
  if (!isHeld) return { shown: present.map((item) => ({ item, isGone: false })), waiting: 0 };
  const byKey = new Map(present.map((item) => [item.key, item]));
  const shown = before.map(({ item }) => {
    const now = byKey.get(item.key);
    byKey.delete(item.key);
    return now ? { item: now, isGone: false } : { item, isGone: true };
  });
  return { shown, waiting: byKey.size };
}

import { LIMITS } from '../../schema/limits.ts';
import type { Log } from '../runtime/log.ts';
import type { IdKind, OrgStore } from '../store/org-store.ts';

const KINDS: readonly IdKind[] = ['task', 'customer', 'user', 'location', 'package'];
/** Ids of each kind that one decision may take without asking: 100 packages and as many locations. */
const RESERVE = 2 * LIMITS.listItems;

interface Stock {
  /** First unused id of each block, and how many it still holds. */
  readonly blocks: { next: number; left: number }[];
  left: number;
  refill: Promise<void> | undefined;
}

/**
 * Ids for what actors make, from blocks reserved in Postgres. The next block is fetched when half of one is left, so
 * that a decision finds its ids in memory; ids are never handed back.
 */
export class IdBlocks {
  readonly #store: OrgStore;
  readonly #log: Log;
  readonly #stocks = new Map<IdKind, Stock>(KINDS.map((kind) => [kind, { blocks: [], left: 0, refill: undefined }]));

  constructor(store: OrgStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Whether a decision can be made now. */
  get areReady(): boolean {
    for (const stock of this.#stocks.values()) if (stock.left < RESERVE) return false;
    return true;
  }

  /** Resolves when a decision can be made; rejects when Postgres cannot be asked. */
  async ensure(): Promise<void> {
    const short = [...this.#stocks].filter(([, stock]) => stock.left < RESERVE);
    await Promise.all(short.map(([kind, stock]) => this.#refill(kind, stock)));
  }

  next(kind: IdKind): number {
    const stock = this.#stocks.get(kind)!;
    const block = stock.blocks[0];
    if (!block) throw new Error(`no ${kind} ids left: ensure() was not awaited`);
    const id = block.next;
    block.next += 1;
    block.left -= 1;
    stock.left -= 1;
    if (block.left === 0) stock.blocks.shift();
    if (stock.left === LIMITS.idBlock / 2) {
      this.#refill(kind, stock).catch((error) => this.#log.warn({ error, kind }, 'could not reserve ids ahead'));
    }
    return id;
  }

  #refill(kind: IdKind, stock: Stock): Promise<void> {
    stock.refill ??= this.#store
      .reserveIds(kind, 2)
      .then((firsts) => {
        for (const first of firsts) stock.blocks.push({ next: first, left: LIMITS.idBlock });
        stock.left += firsts.length * LIMITS.idBlock;
      })
      .finally(() => {
        stock.refill = undefined;
      });
    return stock.refill;
  }
}

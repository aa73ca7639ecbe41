import { LIMITS } from '../../../schema/limits.ts';
import type { Log } from '../../runtime/log.ts';
import type { IdKind, OrgStore } from '../../store/actor/actor-store.ts';
import type { IdDemand } from '../decide/id-demand.ts';

const KINDS: readonly IdKind[] = [
  'task',
  'customer',
  'user',
  'location',
  'package',
  'warehouse',
  'agent',
  'assignment_request',
  'payment',
  'transfer',
];

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
  has(demand: IdDemand): boolean {
    for (const kind of KINDS) if (this.#stocks.get(kind)!.left < demand[kind]) return false;
    return true;
  }

  /**
   * Resolves when a decision can be made; rejects when Postgres cannot be asked. It reserves nothing: another command
   * that waited for the same ids may take them first, so ask `has` again in the turn of the decision.
   */
  async ensure(demand: IdDemand): Promise<void> {
    while (!this.has(demand)) {
      const short = [...this.#stocks].filter(([kind, stock]) => stock.left < demand[kind]);
      await Promise.all(short.map(([kind, stock]) => this.#refill(kind, stock, demand[kind] - stock.left)));
    }
  }

  next(kind: IdKind): number {
    const stock = this.#stocks.get(kind)!;
    const block = stock.blocks[0];
    if (!block) throw new Error(`no ${kind} ids left: has() was not asked in the turn of the decision`);
    const id = block.next;
    block.next += 1;
    block.left -= 1;
    stock.left -= 1;
    if (block.left === 0) stock.blocks.shift();
    if (stock.left === LIMITS.idBlock / 2) {
      this.#refill(kind, stock, 0).catch((error) =>
        this.#log.warn({ err: error, kind }, 'could not reserve ids ahead'),
      );
    }
    return id;
  }

  #refill(kind: IdKind, stock: Stock, missing: number): Promise<void> {
    stock.refill ??= this.#store
      .reserveIds(kind, 2 + Math.ceil(missing / LIMITS.idBlock))
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

import { LIMITS } from '../../../schema/limits.ts';
import { partsOf } from '../../../schema/tasks/task-filter.ts';
import type { PageRequest } from '../../store/task-lists/task-list-request.ts';
import { BoundedMap } from '../state/bounded-map.ts';

/** The share of the tasks of a kind of list whose texts were kept, and the number of its pages that have not looked since. */
interface Rate {
  readonly share: number;
  readonly unlooked: number;
}

/** Every page looks until the first shares are known. */
const UNKNOWN: Rate = { share: 1, unlooked: 0 };
/** Weight of the newest page. */
const NEWEST = 1 / 4;

/**
 * How much of a page others have shown, for each kind of list of an organization. The board of a console shows the same
 * tasks again and again; a search for an order shows what hardly another page does.
 */
export class RepeatRates {
  readonly #rates = new BoundedMap<string, Rate>(LIMITS.repeatRates, () => 1);

  /** Whether a page looks for kept texts first. One of many does in any case, since a list may come into use. */
  looks(organizationId: number, request: PageRequest): boolean {
    const key = keyOf(organizationId, request);
    const rate = this.#rates.get(key) ?? UNKNOWN;
    this.#rates.touch(key);
    if (rate.share >= LIMITS.leastRepeatRate || rate.unlooked >= LIMITS.pagesBetweenLooks) return true;
    this.#rates.set(key, { ...rate, unlooked: rate.unlooked + 1 });
    return false;
  }

  /** A page has looked: the texts of `found` tasks of `shown` were kept. */
  note(organizationId: number, request: PageRequest, found: number, shown: number): void {
    if (shown === 0) return;
    const key = keyOf(organizationId, request);
    const { share } = this.#rates.get(key) ?? UNKNOWN;
    this.#rates.set(key, { share: share + (found / shown - share) * NEWEST, unlooked: 0 });
  }
}

function keyOf(organizationId: number, { filter, sortBy, sortOrder, skip, after }: PageRequest): string {
  const isFirst = skip === 0 && after === undefined;
  return `${organizationId} ${sortBy} ${sortOrder} ${isFirst} ${partsOf(filter).join()}`;
}

import { LIMITS } from '../../../schema/limits.ts';
import { partsOf } from '../../../schema/tasks/task-filter.ts';
import type { PageRequest } from '../../store/task-lists/task-list-request.ts';
import { BoundedMap } from '../state/bounded-map.ts';

/** The share of the tasks of a kind of list whose texts were kept. */
interface Rate {
  readonly share: number;
}

/** Weight of the newest page. */
const NEWEST = 1 / 4;

/**
 * How much of a page others have shown, for each kind of list of an organization. The board of a console shows the same
 * tasks again and again; a search for an order shows what hardly another page does.
 */
export class RepeatRates {
  readonly #rates = new BoundedMap<string, Rate>(LIMITS.repeatRates, () => 1);

  /** Whether pages of this kind mostly show what others have shown. Nobody has shown what no page is known of. */
  isRepeated(organizationId: number, request: PageRequest): boolean {
    const key = keyOf(organizationId, request);
    this.#rates.touch(key);
    return this.#shareOf(key) >= LIMITS.leastRepeatRate;
  }

  /** A page was read: the texts of `found` tasks of `shown` were kept. */
  note(organizationId: number, request: PageRequest, found: number, shown: number): void {
    if (shown === 0) return;
    const key = keyOf(organizationId, request);
    const share = this.#shareOf(key);
    this.#rates.set(key, { share: share + (found / shown - share) * NEWEST });
  }

  #shareOf(key: string): number {
    return this.#rates.get(key)?.share ?? 0;
  }
}

function keyOf(organizationId: number, { filter, sortBy, sortOrder, skip, after }: PageRequest): string {
  const isFirst = skip === 0 && after === undefined;
  return `${organizationId} ${sortBy} ${sortOrder} ${isFirst} ${partsOf(filter).join()}`;
}

import { IdlePickups } from './idle-pickups.ts';
import type { Assignment, Policy, Sight } from './policy.ts';
import type { Parameters } from './read-instance.ts';

/**
 * Nearest idle first: every order, in the order of their placement, goes at once to the nearest idle courier; without
 * one, as soon as a courier is idle.
 */
export class NearestIdle implements Policy {
  readonly name = 'nearest idle';
  readonly everyMs = undefined;
  private readonly pickups: IdlePickups;

  constructor(parameters: Parameters) {
    this.pickups = new IdlePickups(parameters);
  }

  decide(sight: Sight): Assignment[] {
    const assignments: Assignment[] = [];
    const taken = new Set<string>();
    for (const waiting of sight.orders) {
      const free = this.pickups.of(waiting, sight).filter(({ courier }) => !taken.has(courier.courier.id));
      const [nearest] = free.sort((a, b) => a.distanceM - b.distanceM);
      if (!nearest) continue;
      const courierId = nearest.courier.courier.id;
      taken.add(courierId);
      assignments.push({ courierId, orderIds: [waiting.order.id] });
    }
    return assignments;
  }
}

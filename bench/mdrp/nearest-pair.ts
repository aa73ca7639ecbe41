import { IdlePickups } from './idle-pickups.ts';
import type { Assignment, Policy, Sight } from './policy.ts';
import type { Parameters } from './read-instance.ts';

/**
 * Nearest idle first in its other reading: where several orders wait, the nearest pair of order and idle courier is
 * matched, instead of the oldest order first. It is less fair and far better in a rush; it is shown for comparison.
 */
export class NearestPair implements Policy {
  readonly name = 'nearest pair';
  readonly everyMs = undefined;
  private readonly pickups: IdlePickups;

  constructor(parameters: Parameters) {
    this.pickups = new IdlePickups(parameters);
  }

  decide(sight: Sight): Assignment[] {
    const pairs = sight.orders.flatMap((waiting) =>
      this.pickups.of(waiting, sight).map(({ courier, distanceM }) => ({
        orderId: waiting.order.id,
        courierId: courier.courier.id,
        distanceM,
      })),
    );
    const assignments: Assignment[] = [];
    const taken = new Set<string>();
    const given = new Set<string>();
    for (const { orderId, courierId } of pairs.sort((a, b) => a.distanceM - b.distanceM)) {
      if (taken.has(courierId) || given.has(orderId)) continue;
      taken.add(courierId);
      given.add(orderId);
      assignments.push({ courierId, orderIds: [orderId] });
    }
    return assignments;
  }
}

import { assignSparse, CostRows } from '../../engine/domain/planning/sparse-assignment.ts';
import { IdlePickups } from './idle-pickups.ts';
import type { Assignment, Policy, Sight } from './policy.ts';
import type { Parameters } from './read-instance.ts';

/** By the way: least time to the restaurants. By the pickup: that, or the moment the meal is ready if it is later. */
type Aim = 'way' | 'pickup';

/**
 * The weight of the way beside the pickup. From 0.001 to 1 it hardly matters on the published days (40.9 to 42.0
 * minutes, 33.2 to 33.5); 0.3 is among the best on every day and the only one to deliver every order.
 */
const WAY_WEIGHT = 0.3;
/** Leaving out an order is dearer than any way of assigning the others: as many as can be are assigned. */
const LEFT_OUT = 1e12;

/**
 * Optimal matching of idle couriers: as many waiting orders as possible, each alone and at once, for the least total. A
 * courier may wait for the meal at the restaurant. Tried and worse than by the pickup: assigning only just in time,
 * assigning only ready orders, and leaving out the youngest orders in a rush.
 */
export class IdleMatching implements Policy {
  readonly name: string;
  readonly everyMs = 30_000;
  private readonly pickups: IdlePickups;
  private readonly aim: Aim;

  constructor(parameters: Parameters, aim: Aim) {
    this.name = `matching by ${aim}`;
    this.pickups = new IdlePickups(parameters);
    this.aim = aim;
  }

  decide(sight: Sight): Assignment[] {
    const columnOf = new Map(sight.couriers.map(({ courier }, column) => [courier.id, column]));
    const rows = new CostRows(sight.couriers.length);
    for (const waiting of sight.orders) {
      rows.addRow(LEFT_OUT);
      for (const { courier, arrivesAt, pickedUpAt } of this.pickups.of(waiting, sight)) {
        const wayMs = arrivesAt - sight.now;
        const cost = this.aim === 'way' ? wayMs : pickedUpAt - sight.now + WAY_WEIGHT * wayMs;
        rows.add(columnOf.get(courier.courier.id)!, cost);
      }
    }
    const { columnOf: chosen } = assignSparse(rows);
    return sight.orders.flatMap(({ order }, row) => {
      const courier = sight.couriers[chosen[row]!];
      return courier ? [{ courierId: courier.courier.id, orderIds: [order.id] }] : [];
    });
  }
}

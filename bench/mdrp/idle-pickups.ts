import type { TravelTime } from '../../engine/domain/assignment/round-view.ts';
import { instanceTravel, MINUTE_MS } from './instance-travel.ts';
import type { CourierOnShift, Sight, WaitingOrder } from './policy.ts';
import type { Parameters } from './read-instance.ts';

/** An idle courier who may fetch an order alone. */
export interface IdlePickup {
  readonly courier: CourierOnShift;
  readonly distanceM: number;
  readonly arrivesAt: number;
  readonly pickedUpAt: number;
}

/**
 * The rules that both baselines know: the courier is idle, has not declined the order and fetches it within its shift.
 */
export class IdlePickups {
  private readonly travel: TravelTime;
  private readonly halfServiceMs: number;

  constructor({ metersPerMinute, pickupServiceMinutes }: Parameters) {
    this.travel = instanceTravel(metersPerMinute);
    this.halfServiceMs = (pickupServiceMinutes / 2) * MINUTE_MS;
  }

  of({ order, declinedBy }: WaitingOrder, { now, couriers }: Sight): IdlePickup[] {
    const pickups: IdlePickup[] = [];
    for (const courier of couriers) {
      if (courier.freeAt > now || declinedBy.has(courier.courier.id)) continue;
      const { distanceM, ms } = this.travel(courier.place, order.restaurant, null);
      const arrivesAt = now + ms + this.halfServiceMs;
      const pickedUpAt = Math.max(order.readyMinute * MINUTE_MS, arrivesAt);
      if (pickedUpAt > courier.courier.offMinute * MINUTE_MS) continue;
      pickups.push({ courier, distanceM, arrivesAt, pickedUpAt });
    }
    return pickups;
  }
}

import type { Place } from '../../engine/domain/assignment/round-view.ts';
import type { Order } from '../replay/read-day.ts';
import type { Courier } from './read-instance.ts';

/** Decides which courier carries which order. It sees the facts known at the time, and nothing else. */
export interface Policy {
  readonly name: string;
  /** Decides at every multiple of it; undefined: whenever an order or a courier becomes available. */
  readonly everyMs: number | undefined;
  decide(sight: Sight): readonly Assignment[];
}

/** Times are milliseconds from the start of the day. */
export interface Sight {
  readonly now: number;
  /** Placed and not assigned, in the order of their placement; without those in an open offer. */
  readonly orders: readonly WaitingOrder[];
  /** On shift; without those with an open offer. */
  readonly couriers: readonly CourierOnShift[];
}

export interface WaitingOrder {
  readonly order: Order;
  /** Ids of the couriers who have declined it. */
  readonly declinedBy: ReadonlySet<string>;
}

export interface CourierOnShift {
  readonly courier: Courier;
  /** Where it is, or will be once it is free. */
  readonly place: Place;
  /** Not after `now` for an idle courier. */
  readonly freeAt: number;
  /** Orders that it has and that are not at their door. */
  readonly openOrders: number;
}

/** Orders of one restaurant, in the order in which they are dropped off. A busy courier begins it once it is free. */
export interface Assignment {
  readonly courierId: string;
  readonly orderIds: readonly string[];
}

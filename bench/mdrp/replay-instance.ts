import type { Place, TravelTime } from '../../engine/domain/assignment/round-view.ts';
import type { Order } from '../replay/read-day.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';
import type { Carried, DayRecord } from './day-record.ts';
import { instanceTravel, MINUTE_MS } from './instance-travel.ts';
import type { Assignment, CourierOnShift, Policy, Sight } from './policy.ts';
import type { Courier, Instance } from './read-instance.ts';

/** Whether asked couriers decline. The same courier declines the same order under every policy. */
export interface Refusals {
  /** From 0 for never. */
  readonly probability: number;
  readonly seed: number;
  /** The duration of a refusal, during which neither the courier nor the orders are available. */
  readonly offerMs: number;
}

/** The policy broke the rules of the instance: no measurement would count. */
export class RuleBroken extends Error {}

/** Replays a day under a policy. Throws RuleBroken. */
export function replayInstance(instance: Instance, policy: Policy, refusals: Refusals): DayRecord {
  return new Replay(instance, policy, refusals).run();
}

interface OrderState {
  readonly order: Order;
  readonly number: number;
  readonly placedAt: number;
  readonly declinedBy: Set<string>;
  isAssigned: boolean;
  askedUntil: number;
}

interface CourierState {
  readonly courier: Courier;
  readonly number: number;
  readonly onAt: number;
  readonly offAt: number;
  place: Place;
  freeAt: number;
  askedUntil: number;
  dropOffs: readonly number[];
}

const NEVER = Number.POSITIVE_INFINITY;
const DRAWS = 1_000_000;

class Replay {
  private readonly instance: Instance;
  private readonly policy: Policy;
  private readonly refusals: Refusals;
  private readonly travel: TravelTime;
  private readonly orders: ReadonlyMap<string, OrderState>;
  private readonly couriers: ReadonlyMap<string, CourierState>;
  private readonly assignments: Carried[] = [];
  private readonly declined: (Assignment & { readonly at: number })[] = [];
  private readonly roundMs: number[] = [];
  private now = Number.NEGATIVE_INFINITY;

  constructor(instance: Instance, policy: Policy, refusals: Refusals) {
    this.instance = instance;
    this.policy = policy;
    this.refusals = refusals;
    this.travel = instanceTravel(instance.parameters.metersPerMinute);
    this.orders = new Map(instance.orders.map((order, number) => [order.id, orderState(order, number)]));
    this.couriers = new Map(instance.couriers.map((courier, number) => [courier.id, courierState(courier, number)]));
  }

  run(): DayRecord {
    for (this.now = this.nextTime(); this.now < NEVER; this.now = this.nextTime()) {
      const sight = this.sight();
      if (sight.orders.length === 0) continue;
      const startedAt = performance.now();
      const decided = this.policy.decide(sight);
      this.roundMs.push(performance.now() - startedAt);
      for (const assignment of decided) this.offer(assignment);
    }
    const { assignments, declined, roundMs } = this;
    return { policy: this.policy.name, assignments, declined, roundMs };
  }

  /** When the policy decides next; never, once no order is left or nobody may fetch one any more. */
  private nextTime(): number {
    const unassigned = [...this.orders.values()].filter(({ isAssigned }) => !isAssigned);
    const nextPlacement = Math.min(...unassigned.map(({ placedAt }) => (placedAt > this.now ? placedAt : NEVER)));
    const somethingWaits = unassigned.some(({ placedAt }) => placedAt <= this.now);
    const lastOff = Math.max(...[...this.couriers.values()].map(({ offAt }) => offAt));
    const { everyMs } = this.policy;
    let next: number;
    if (everyMs === undefined) next = Math.min(nextPlacement, ...(somethingWaits ? this.laterEvents() : []));
    else next = somethingWaits ? this.now + everyMs : Math.ceil(nextPlacement / everyMs) * everyMs;
    return next > lastOff ? NEVER : next;
  }

  /** The time when an order or a courier is available again. */
  private laterEvents(): number[] {
    const couriers = [...this.couriers.values()].flatMap(({ onAt, freeAt, askedUntil }) => [onAt, freeAt, askedUntil]);
    const orders = [...this.orders.values()].map(({ askedUntil }) => askedUntil);
    return [...couriers, ...orders].filter((at) => at > this.now);
  }

  private sight(): Sight {
    const { now } = this;
    const couriers: CourierOnShift[] = [];
    for (const { courier, onAt, offAt, place, freeAt, askedUntil, dropOffs } of this.couriers.values()) {
      if (onAt > now || offAt < now || askedUntil > now) continue;
      couriers.push({ courier, place, freeAt, openOrders: dropOffs.filter((at) => at > now).length });
    }
    const orders = [...this.orders.values()].filter((state) => this.isWaiting(state));
    return { now, orders, couriers };
  }

  private isWaiting({ placedAt, isAssigned, askedUntil }: OrderState): boolean {
    return placedAt <= this.now && !isAssigned && askedUntil <= this.now;
  }

  private offer(assignment: Assignment): void {
    const courier = this.courierOf(assignment);
    const orders = this.ordersOf(assignment);
    const carried = this.carry(assignment, courier, orders);
    if (this.declines(courier, orders[0]!)) {
      const until = this.now + this.refusals.offerMs;
      courier.askedUntil = until;
      for (const order of orders) {
        order.askedUntil = until;
        order.declinedBy.add(courier.courier.id);
      }
      this.declined.push({ ...assignment, at: this.now });
      return;
    }
    for (const order of orders) order.isAssigned = true;
    courier.place = orders.at(-1)!.order.dropOff;
    courier.freeAt = carried.droppedOffAt.at(-1)! + this.halfServiceMs('dropoffServiceMinutes');
    courier.dropOffs = [...courier.dropOffs.filter((at) => at > this.now), ...carried.droppedOffAt];
    this.assignments.push(carried);
  }

  private courierOf(assignment: Assignment): CourierState {
    const state = this.couriers.get(assignment.courierId);
    if (!state) return this.refuse(assignment, 'there is no such courier');
    if (state.onAt > this.now || state.offAt < this.now) this.refuse(assignment, 'the courier is not on shift');
    if (state.askedUntil > this.now) this.refuse(assignment, 'the courier is being asked about something else');
    return state;
  }

  private ordersOf(assignment: Assignment): OrderState[] {
    const { courierId, orderIds } = assignment;
    if (orderIds.length === 0) this.refuse(assignment, 'no orders');
    if (new Set(orderIds).size < orderIds.length) this.refuse(assignment, 'an order twice');
    const states = orderIds.map((id) => this.orders.get(id) ?? this.refuse(assignment, `there is no order ${id}`));
    for (const state of states) {
      const { id, restaurant } = state.order;
      if (!this.isWaiting(state)) this.refuse(assignment, `order ${id} is not to be had`);
      if (state.declinedBy.has(courierId)) this.refuse(assignment, `it has declined order ${id}`);
      if (restaurant.id !== states[0]!.order.restaurant.id) this.refuse(assignment, 'orders of several restaurants');
    }
    return states;
  }

  private carry(
    assignment: Assignment,
    { place, freeAt, offAt }: CourierState,
    orders: readonly OrderState[],
  ): Carried {
    const beganAt = Math.max(this.now, freeAt);
    const pickupHalfMs = this.halfServiceMs('pickupServiceMinutes');
    const dropoffHalfMs = this.halfServiceMs('dropoffServiceMinutes');
    let from: Place = orders[0]!.order.restaurant;
    const readyAt = Math.max(...orders.map(({ order }) => order.readyMinute * MINUTE_MS));
    const pickedUpAt = Math.max(readyAt, beganAt + this.travel(place, from, null).ms + pickupHalfMs);
    if (pickedUpAt > offAt) this.refuse(assignment, 'picked up after the end of the shift');
    const droppedOffAt: number[] = [];
    let leavesAt = pickedUpAt + pickupHalfMs;
    for (const { order } of orders) {
      const arrivesAt = leavesAt + this.travel(from, order.dropOff, null).ms;
      const at = Math.max(arrivesAt, (order.window?.from ?? 0) * MINUTE_MS) + dropoffHalfMs;
      droppedOffAt.push(at);
      leavesAt = at + dropoffHalfMs;
      from = order.dropOff;
    }
    return { ...assignment, decidedAt: this.now, pickedUpAt, droppedOffAt };
  }

  private halfServiceMs(service: 'pickupServiceMinutes' | 'dropoffServiceMinutes'): number {
    return (this.instance.parameters[service] / 2) * MINUTE_MS;
  }

  private declines({ number }: CourierState, order: OrderState): boolean {
    const { probability, seed } = this.refusals;
    const mixed =
      Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b) ^ Math.imul(order.number, 0xc2b2ae35);
    return seededNumbers(mixed)(DRAWS) < probability * DRAWS;
  }

  private refuse({ courierId, orderIds }: Assignment, problem: string): never {
    const what = `${this.policy.name} gives ${orderIds.join(', ')} to ${courierId} at minute ${this.now / MINUTE_MS}`;
    throw new RuleBroken(`${this.instance.name}: ${what}: ${problem}`);
  }
}

function orderState(order: Order, number: number): OrderState {
  const placedAt = order.placementMinute * MINUTE_MS;
  return { order, number, placedAt, declinedBy: new Set(), isAssigned: false, askedUntil: Number.NEGATIVE_INFINITY };
}

function courierState(courier: Courier, number: number): CourierState {
  const [onAt, offAt] = [courier.onMinute * MINUTE_MS, courier.offMinute * MINUTE_MS];
  const [freeAt, askedUntil] = [onAt, Number.NEGATIVE_INFINITY];
  return { courier, number, onAt, offAt, place: courier.start, freeAt, askedUntil, dropOffs: [] };
}

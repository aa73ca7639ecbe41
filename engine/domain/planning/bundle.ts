import type { Demand } from '../assignment/eligibility.ts';
import type { OpenOrder, Place } from '../assignment/round-view.ts';

/** Orders that one agent fetches at one place and brings one after the other; mostly a single one. */
export interface Bundle {
  /** In the order in which they are brought. */
  readonly orders: readonly OpenOrder[];
  readonly demand: Demand;
  /** Not fetched before; minus infinity when all are ready. */
  readonly readyAt: number;
  /** How much each of its minutes weighs: 1 for fresh orders, more for those that have waited. */
  readonly urgency: number;
  /** Whether one of them has a window or a time at which it is due: when it is fetched changes more than the times. */
  readonly isTimed: boolean;
}

/** After so long an order that waits weighs twice as much, up to `MOST_URGENT` times: none is always put off for others. */
const URGENT_MS = 1_800_000;
const MOST_URGENT = 10;

/** A task that is due later is in time in every plan. */
const FORESEEN_MS = 12 * 3_600_000;

/** Nobody waits for what is not ready. */
function urgencyOf(orders: readonly OpenOrder[], now: number): number {
  let sum = 0;
  for (const { searchingSince, readyAt } of orders) {
    const waitedMs = Math.max(0, now - Math.max(searchingSince, readyAt ?? searchingSince));
    sum += Math.min(MOST_URGENT, 1 + waitedMs / URGENT_MS);
  }
  return sum / orders.length;
}

/** The cost of a minute of all its orders. */
export function weightOf({ orders, urgency }: Bundle): number {
  return orders.length * urgency;
}

/** Where the agent has to go first; null for nowhere. */
export function startOf({ pickup, dropoff }: OpenOrder): Place | null {
  return pickup ?? dropoff;
}

/** When the first of it may be done: what is not ready, or scheduled for later, waits. Minus infinity: at once. */
export function earliestOf(slot: OpenOrder['slot'], readyAt: number | null): number {
  const readyFrom = readyAt ?? Number.NEGATIVE_INFINITY;
  return slot && slot.from > readyFrom ? slot.from : readyFrom;
}

export function bundleOf(orders: readonly OpenOrder[], now: number): Bundle {
  const [first] = orders;
  const urgency = urgencyOf(orders, now);
  if (orders.length === 1 && first) {
    const { load, requiredSkills, slot, declinedBy } = first;
    const readyAt = first.readyAt ?? Number.NEGATIVE_INFINITY;
    return {
      orders,
      demand: { tasks: 1, load, requiredSkills, slot, declinedBy },
      readyAt,
      urgency,
      isTimed: isTimed(first, now),
    };
  }
  const load = { weightKg: 0, volumeM3: 0, packages: 0 };
  let readyAt = Number.NEGATIVE_INFINITY;
  let [requiredSkills, declinedBy] = [NO_SKILLS, NOBODY];
  let isAnyTimed = false;
  for (const order of orders) {
    load.weightKg += order.load.weightKg;
    load.volumeM3 += order.load.volumeM3;
    load.packages += order.load.packages;
    readyAt = Math.max(readyAt, order.readyAt ?? Number.NEGATIVE_INFINITY);
    // Most have none, and a round makes tens of thousands of bundles.
    if (order.requiredSkills.length > 0) requiredSkills = requiredSkills.concat(order.requiredSkills);
    if (order.declinedBy.length > 0) declinedBy = declinedBy.concat(order.declinedBy);
    isAnyTimed ||= isTimed(order, now);
  }
  const demand = { tasks: orders.length, load, requiredSkills, slot: null, declinedBy };
  return { orders, demand, readyAt, urgency, isTimed: isAnyTimed };
}

const NO_SKILLS: Demand['requiredSkills'] = [];
const NOBODY: Demand['declinedBy'] = [];

/** Whether the plan heeds its times. */
function isTimed({ windowStart, dueAt }: OpenOrder, now: number): boolean {
  return (windowStart !== null && windowStart > now) || (dueAt !== null && dueAt < now + FORESEEN_MS);
}

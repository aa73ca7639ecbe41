import type { Instance } from '../mdrp/read-instance.ts';
import type { Order } from '../replay/read-day.ts';

const SLOT_MINUTES = 30;

export const WINDOW_RULE =
  `the time promised is placement + the target of the instance, and the window is the half hour of the clock that ends ` +
  'then or next after it';

/** The day with a window for each order, as shops sell them. */
export function withWindows(instance: Instance): Instance {
  const { targetMinutes } = instance.parameters;
  const orders = instance.orders.map((order) => ({ ...order, window: windowOf(order, targetMinutes) }));
  return { ...instance, orders };
}

function windowOf({ placementMinute }: Order, targetMinutes: number) {
  const until = Math.ceil((placementMinute + targetMinutes) / SLOT_MINUTES) * SLOT_MINUTES;
  return { from: until - SLOT_MINUTES, until };
}

/** The orders that nobody brings in time who fetches them when they are ready and goes straight. */
export function hopelessOf({ orders, parameters }: Instance): number {
  const { metersPerMinute, pickupServiceMinutes } = parameters;
  const soonest = ({ readyMinute, restaurant, dropOff }: Order) => {
    const meters = Math.hypot(dropOff.x - restaurant.x, dropOff.y - restaurant.y);
    return readyMinute + pickupServiceMinutes / 2 + Math.ceil(meters / metersPerMinute);
  };
  return orders.filter((order) => order.window && soonest(order) > order.window.until).length;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededNumbers } from '../../../bench/scenarios/seeded-numbers.ts';
import { City } from '../../../bench/simulate/city.ts';
import { drawOrders, type Order, taskOf } from '../../../bench/simulate/orders/draw-orders.ts';
import { SCENARIO_NAMES, SCENARIOS, type ScenarioName } from '../../../bench/simulate/orders/scenarios.ts';

const city = new City({ latitude: 52.52, longitude: 13.405 }, 5_000);
const COUNT = 3_000;
const PER_HOUR = 150;

function ordersOf(name: ScenarioName, seed: number): Order[] {
  const orders = drawOrders(SCENARIOS[name], city, PER_HOUR, seededNumbers(seed));
  return Array.from({ length: COUNT }, () => orders.next().value);
}

const timeOf = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();
const bodiesOf = (orders: readonly Order[], name: ScenarioName) =>
  orders.map((order) => taskOf(order, name, city, timeOf));

for (const name of SCENARIO_NAMES)
  test(`${name}: the same seed draws the same orders with the same fates, another seed others`, () => {
    const orders = ordersOf(name, 7);
    assert.deepEqual(ordersOf(name, 7), orders);
    assert.deepEqual(bodiesOf(ordersOf(name, 7), name), bodiesOf(orders, name));
    assert.notDeepEqual(ordersOf(name, 8), orders);
  });

for (const name of SCENARIO_NAMES)
  test(`${name}: orders come as often, and end as often, as the scenario says`, () => {
    const { opening, ready, opens, open, cancelledOneIn, failedOneIn, wave } = SCENARIOS[name];
    const orders = ordersOf(name, 11);
    for (const [index, order] of orders.entries()) {
      assert.equal(order.number, index + 1);
      assert.ok(order.at >= (orders[index - 1]?.at ?? 0));
      const until = order.readyAt - order.at;
      if (index < opening) assert.deepEqual([order.at, until], [0, 0], 'an order of the opening waits already');
      else assert.ok(until >= ready[0] && until <= ready[1] + 0.001, `ready after ${until} minutes`);
      assert.equal(order.windowStart === undefined, opens === undefined);
      const length = order.windowEnd - (order.windowStart ?? order.readyAt);
      assert.ok(length >= open[0] - 0.001 && length <= open[1] + 0.001, `open for ${length} minutes`);
      assert.ok(order.serviceMinutes >= 1);
    }
    const near = (value: number, expected: number, share: number, what: string) =>
      assert.ok(Math.abs(value / expected - 1) < share, `${what}: ${value} against ${expected}`);
    near(orders.at(-1)!.at, (COUNT * 60) / PER_HOUR, 0.15, 'minutes of all orders');
    near(orders.filter(({ fate }) => fate.cancelAfter !== undefined).length, COUNT / cancelledOneIn, 0.5, 'called off');
    near(orders.filter(({ fate }) => fate.failureReason !== undefined).length, COUNT / failedOneIn, 0.5, 'failed');
    const inHalf = (first: boolean) =>
      orders.filter(({ at }) => Math.abs(((at / wave.minutes) % 1) - 0.5) < 0.25 === first).length;
    if (wave.height > 1) assert.ok(inHalf(true) > 1.3 * inHalf(false), `${inHalf(true)} at the height of the wave`);
  });

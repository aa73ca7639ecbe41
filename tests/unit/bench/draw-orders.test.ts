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

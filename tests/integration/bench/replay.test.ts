import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findDifferences } from '../../../bench/replay/find-differences.ts';
import { readDay } from '../../../bench/replay/read-day.ts';
import { startProgram, temporaryDirectory } from './program-run.ts';

const RESTAURANTS = ['restaurant\tx\ty', 'r1\t8880\t4413', 'r2\t5716\t5933'];
const ORDERS = [
  'order\tx\ty\tplacement_time\trestaurant\tready_time',
  'o1\t8649\t4258\t826\tr1\t838',
  'o2\t2369\t4543\t671\tr2\t681',
  'o3\t-12.5\t4000\t671\tr1\t680',
];

function writeDay(t: TestContext, orders: readonly string[], restaurants: readonly string[] = RESTAURANTS): string {
  const folder = join(temporaryDirectory(t), 'small-day');
  mkdirSync(folder);
  writeFileSync(join(folder, 'orders.txt'), `${orders.join('\n')}\n`);
  writeFileSync(join(folder, 'restaurants.txt'), `${restaurants.join('\n')}\n`);
  return folder;
}

test('a replayed day is found again by id, in the list and in the events, and nothing is left behind', async (t) => {
  const run = startProgram(t, 'replay', [writeDay(t, ORDERS), '--speed', '1000000']);
  assert.equal(await run.exitCode, 0, run.output());
  assert.match(run.output(), /small-day: 3 orders from 2 restaurants/);
  for (const source of ['by id', 'list', 'events']) {
    assert.match(run.output(), new RegExp(`^ {2}${source} +3 of 3 there once and equal`, 'm'));
  }
  assert.match(run.output(), /sequences 1 to 3, in the order of placement: yes/);
  assert.match(run.output(), /every order exactly once, nothing differs/);
  assert.deepEqual(run.leftInTemporary(), []);
});

test('orders are read as they were placed, in degrees', (t) => {
  const { name, orders } = readDay(writeDay(t, ORDERS));
  assert.equal(name, 'small-day');
  assert.deepEqual(
    orders.map(({ id }) => id),
    ['o2', 'o3', 'o1'],
  );
  assert.equal(orders[0]!.dropOff.latitude, 4543 / 111_195.08);
  assert.equal(orders[0]!.restaurant.longitude, 5716 / 111_195.08);
});

test('a day that is not what it should be is refused by file and line', (t) => {
  const cases: readonly (readonly [orders: readonly string[], complaint: RegExp])[] = [
    [['order\tx\ty'], /orders\.txt:1: the header must be/],
    [[ORDERS[0]!], /orders\.txt: holds no orders/],
    [[...ORDERS, 'o4\t1\t2\tnoon\tr1\t700'], /orders\.txt:5: placement_time "noon" is no minute of a day/],
    [[...ORDERS, 'o4\t1\t2'], /orders\.txt:5: 3 columns, 6 are due/],
    [[...ORDERS, 'o1\t1\t2\t3\tr1\t4'], /orders\.txt:5: order o1 stands here twice/],
    [[...ORDERS, 'o4\t1\t2\t3\tr9\t4'], /orders\.txt:5: restaurant r9 is not in restaurants\.txt/],
    [[...ORDERS, 'o4\t1\t2\t30\tr1\t4'], /orders\.txt:5: order o4 is ready before it is placed/],
    [[...ORDERS, 'o4\t1\tnorth\t3\tr1\t4'], /orders\.txt:5: y "north" is no number/],
    [[...ORDERS, 'o4\t1\t90000000\t3\tr1\t4'], /orders\.txt:5: .* is no place on Earth/],
  ];
  for (const [orders, complaint] of cases) assert.throws(() => readDay(writeDay(t, orders)), complaint);
  assert.throws(() => readDay(join(temporaryDirectory(t), 'nowhere')), /restaurants\.txt cannot be read/);
});

test('a difference is reported by its path, regardless of the rest of the answer', () => {
  const expected = { name: 'a', packages: [{ quantity: 1 }], location: { address: 'x' } };
  const actual = { name: 'a', packages: [{ quantity: 2, id: 9 }], location: null, id: 1 };
  assert.deepEqual(
    findDifferences(expected, { ...actual, packages: [{ quantity: 1 }], location: { address: 'x', id: 2 } }),
    [],
  );
  assert.deepEqual(findDifferences(expected, actual), [
    'packages[0].quantity: expected 1, found 2',
    'location: expected {"address":"x"}, found null',
  ]);
  assert.deepEqual(findDifferences([1], [1, 2]), [': expected [1], found [1,2]']);
});

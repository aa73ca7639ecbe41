import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleOf, join } from '../../../../engine/domain/planning/bundle.ts';
import { straightTravel } from '../../../../engine/domain/straight-travel.ts';
import { NOW, order, roundView } from '../../planning/round-fixture.ts';

const { settings } = roundView([], []);
const eastward = (taskId: number) =>
  order({ taskId, pickup: { latitude: 0, longitude: 0 }, dropoff: { latitude: 0, longitude: taskId / 100 } });

for (const [base, extra] of [
  [[1, 3], 2],
  [[1, 2], 3],
  [[2, 3], 1],
  [[3, 1], 2],
] as const) {
  test(`an order that joins others is brought where it delays least: ${extra} beside ${base.join(', ')}`, () => {
    const { orders } = join(
      bundleOf(base.map(eastward), NOW),
      bundleOf([eastward(extra)], NOW),
      straightTravel,
      settings,
    );
    assert.deepEqual(
      orders.map(({ taskId }) => taskId),
      [1, 2, 3],
    );
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FreeAgent, OpenOrder } from '../../../engine/domain/assignment/round-view.ts';
import { planRound } from '../../../engine/domain/planning/plan-round.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { agent, NOW, order, roundView } from './round-fixture.ts';

const MINUTE = 60_000;
/** Until the next round. */
const SECOND = 1_000;
const east = (thousandths: number) => ({ latitude: 0, longitude: thousandths / 1_000 });
const since = (ms: number) => ({ searchingSince: NOW - ms });
const BUSY = { freeAt: NOW + 5 * MINUTE };
const SLOT = { from: NOW + 60 * MINUTE, until: NOW + 90 * MINUTE };

const CASES: readonly (readonly [string, Partial<OpenOrder>, Partial<FreeAgent>, isHeld: boolean])[] = [
  ['for somebody idle', {}, {}, false],
  ['for somebody who is free before the next round', {}, { freeAt: NOW + SECOND - 1 }, false],
  ['for somebody who is free with the next round', {}, { freeAt: NOW + SECOND }, true],
  ['for somebody who is busy', {}, BUSY, true],
  ['for somebody who is busy, for a moment less than may be', since(MINUTE - 1), BUSY, true],
  ['for somebody who is busy, for as long as may be', since(MINUTE), BUSY, false],
  ['that was not ready for long', { ...since(9 * MINUTE), readyAt: NOW - MINUTE + 1 }, BUSY, true],
  ['that was ready for as long as may be', { ...since(9 * MINUTE), readyAt: NOW - MINUTE }, BUSY, false],
  ['that is ready later than somebody could be there', { readyAt: NOW + 30 * MINUTE }, {}, true],
  ['that is ready as soon as somebody is there', { readyAt: NOW + SECOND }, { place: east(1) }, true],
  [
    'that is ready as soon as somebody is there who had nothing to do for long',
    { readyAt: NOW + SECOND },
    { place: east(1), freeAt: NOW - 9 * MINUTE },
    true,
  ],
  ['that is ready before somebody asked later is there', { readyAt: NOW + SECOND - 1 }, { place: east(1) }, false],
  ['with a time of its own', { slot: SLOT }, {}, false],
  ['with a time of its own, for somebody who is busy', { slot: SLOT }, BUSY, false],
];

for (const [which, wanted, who, isHeld] of CASES) {
  test(`an order ${which} is ${isHeld ? 'held' : 'given at once'}`, () => {
    const view = roundView([order({ dropoff: east(1), ...wanted })], [agent(1, who)], { maxHoldMs: MINUTE });
    const { offers, unplanned } = planRound(view, straightTravel);
    assert.deepEqual(
      [offers.map(({ taskIds }) => taskIds), unplanned.map(({ why }) => why)],
      isHeld ? [[], ['held']] : [[[1]], []],
    );
  });
}

test('orders that travel together are given when one of them has waited as long as may be', () => {
  const shop = { pickup: east(1), pickupKey: 'shop' };
  const plan = (waitedMs: number) =>
    planRound(
      roundView(
        [
          order({ taskId: 1, ...shop, dropoff: east(20), ...since(waitedMs) }),
          order({ taskId: 2, ...shop, dropoff: east(21) }),
        ],
        [agent(1, BUSY)],
        { maxHoldMs: MINUTE },
      ),
      straightTravel,
    );
  assert.deepEqual(
    plan(MINUTE).offers.map(({ taskIds }) => taskIds),
    [[1, 2]],
  );
  assert.deepEqual(
    plan(MINUTE - 1).unplanned.map(({ taskId, why }) => [taskId, why]),
    [
      [1, 'held'],
      [2, 'held'],
    ],
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cellOf } from '../../../engine/travel/place-cell.ts';
import { wantedTrips } from '../../../engine/travel/wanted-trips.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { agentAt, at, orderFrom, roundOf } from '../../support/town.ts';

const [SHOP, HOME, FLAT] = [at(0, 0), at(2_000, 500), at(1_800, 900)];
const everybody = () => 'car';

function pairs(wanted: ReturnType<typeof wantedTrips>, mode = 'car'): number {
  return [...(wanted.byMode.get(mode)?.values() ?? [])].reduce((sum, ends) => sum + ends.size, 0);
}

describe('the ways that a round wants', () => {
  test('lead from the agents to the order and from there to its end, for each mode', () => {
    const rider = agentAt(at(-900, 0), { vehicleType: 'bicycle' });
    const driver = agentAt(at(900, 0));
    const view = roundOf([rider, driver], [orderFrom(SHOP, HOME)]);
    const wanted = wantedTrips(view, (type) => type ?? undefined);
    assert.deepEqual(
      [...wanted.byMode.get('bicycle')!],
      [
        [cellOf(rider.place), new Set([cellOf(SHOP)])],
        [cellOf(SHOP), new Set([cellOf(HOME)])],
      ],
    );
    assert.equal(pairs(wanted, 'car'), 2);
    assert.deepEqual(wanted.places.get(cellOf(SHOP)), SHOP);
  });

  test('are those of the nearest agents', () => {
    const agents = Array.from({ length: 60 }, (_, index) => agentAt(at(200 + index * 200, 0)));
    const wanted = wantedTrips(roundOf(agents.reverse(), [orderFrom(SHOP, null)]), everybody);
    assert.equal(pairs(wanted), LIMITS.tripAgents);
    assert.ok(wanted.places.has(cellOf(at(200, 0))) && !wanted.places.has(cellOf(at(12_000, 0))));
  });

  test('lead on between orders of the same pickup place', () => {
    const order = (dropoff: typeof HOME, pickupKey: string | null) => orderFrom(SHOP, dropoff, { pickupKey });
    const agents = [agentAt(at(500, 500))];
    const together = wantedTrips(roundOf(agents, [order(HOME, 'shop'), order(FLAT, 'shop')]), everybody);
    assert.ok(together.byMode.get('car')!.get(cellOf(HOME))?.has(cellOf(FLAT)));
    assert.ok(together.byMode.get('car')!.get(cellOf(FLAT))?.has(cellOf(HOME)));
    const apart = wantedTrips(roundOf(agents, [order(HOME, null), order(FLAT, null)]), everybody);
    assert.equal(apart.byMode.get('car')!.get(cellOf(HOME)), undefined);
  });

  test('are none for positions nobody goes by, vehicles the engine does not know, the same place, and the far end of the world', () => {
    const order = orderFrom(SHOP, null);
    const none = [
      agentAt(at(500, 0), { isStale: true }),
      agentAt(at(500, 0), { vehicleType: 'boat' }),
      agentAt(at(5, 5)),
      agentAt({ latitude: -33.9, longitude: 18.4 }),
    ];
    for (const agent of none) {
      const wanted = wantedTrips(roundOf([agent], [order]), (type) => (type === 'boat' ? undefined : 'car'));
      assert.equal(pairs(wanted), 0);
    }
    assert.equal(wantedTrips(roundOf([], [order]), everybody).byMode.size, 0);
    assert.equal(pairs(wantedTrips(roundOf([agentAt(SHOP)], [orderFrom(null, null)]), everybody)), 0);
  });

  test('are bounded', () => {
    const agents = Array.from({ length: 200 }, (_, index) =>
      agentAt(at((index % 20) * 300, Math.floor(index / 20) * 300)),
    );
    const orders = Array.from({ length: 4_000 }, (_, index) => orderFrom(at(index * 60, -500), at(index * 60, 900)));
    const wanted = wantedTrips(roundOf(agents, orders), everybody);
    assert.equal(pairs(wanted), LIMITS.tripsOfRound);
  });
});

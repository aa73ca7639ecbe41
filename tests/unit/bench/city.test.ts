import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededNumbers } from '../../../bench/scenarios/seeded-numbers.ts';
import { City, distance, type Spot } from '../../../bench/simulate/city.ts';

const CENTER = { latitude: 52.52, longitude: 13.405 };
const AVENUE_METRES = 120;
const STREET_METRES = 90;
const city = new City(CENTER, 5_000);
const draw = seededNumbers(7);

function isOnRoad({ x, y }: Spot): boolean {
  return x % AVENUE_METRES === 0 || y % STREET_METRES === 0;
}

test('a way leads along avenues and streets from one spot to the other, and not much further than it must', () => {
  for (let each = 0; each < 2_000; each++) {
    const from = each % 2 === 0 ? city.spot(draw) : city.spotNear({ x: 500, y: -300 }, 700, draw);
    const to = city.spot(draw);
    const way = city.route(from, to, draw);
    let here = from;
    let metres = 0;
    for (const next of way) {
      assert.ok(next.x === here.x || next.y === here.y, `${JSON.stringify([here, next])} cuts across a block`);
      const middle = { x: (here.x + next.x) / 2, y: (here.y + next.y) / 2 };
      assert.ok(isOnRoad(middle), `${JSON.stringify(middle)} is on no road`);
      metres += distance(here, next);
      here = next;
    }
    assert.deepEqual(way.at(-1) ?? from, to);
    const least = Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
    assert.ok(metres <= least + 2 * (AVENUE_METRES + STREET_METRES), `${metres} m instead of ${least}`);
  }
});

test('a spot is found again from its degrees, and lies where they say', () => {
  for (let each = 0; each < 500; each++) {
    const spot = city.spot(draw);
    const found = city.spotAt(city.toDegrees(spot))!;
    assert.ok(isOnRoad(found));
    assert.ok(distance(spot, found) < 0.01, JSON.stringify({ spot, found }));
  }
  const northEast = city.toDegrees({ x: 1_000, y: 1_000 });
  assert.ok(Math.abs(northEast.latitude - 52.52898) < 1e-4, `${northEast.latitude}`);
  assert.ok(Math.abs(northEast.longitude - 13.41976) < 1e-4, `${northEast.longitude}`);
});

test('a spot seen in another city has no place in this one', () => {
  assert.equal(city.spotAt({ latitude: 48.137, longitude: 11.575 }), undefined);
});

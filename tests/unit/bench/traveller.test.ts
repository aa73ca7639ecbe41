import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededNumbers } from '../../../bench/scenarios/seeded-numbers.ts';
import { City, distance } from '../../../bench/simulate/city.ts';
import { Traveller, type TravellerOptions, VEHICLES } from '../../../bench/simulate/traveller.ts';

const city = new City({ latitude: 52.52, longitude: 13.405 }, 5_000);

function traveller(seed: number, options: Partial<TravellerOptions> = {}): Traveller {
  return new Traveller({ city, vehicle: 'car', draw: seededNumbers(seed), timeLapse: 1, ...options });
}

test('a traveller that is sent arrives once, stays there, and roams when it is released', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const agent = traveller(seed);
    const goal = city.spot(seededNumbers(seed + 1_000));
    let arrivals = 0;
    agent.driveTo(goal, () => {
      arrivals += 1;
    });
    for (let second = 0; second < 3_600; second++) agent.advance(1);
    assert.equal(arrivals, 1);
    assert.deepEqual(agent.spot, goal);
    agent.release();
    for (let second = 0; second < 300; second++) agent.advance(1);
    assert.notDeepEqual(agent.spot, goal);
  }
});

test('nobody moves faster than its vehicle, however fast time goes', () => {
  for (const timeLapse of [1, 5, 20]) {
    for (const [seed, vehicle] of VEHICLES.entries()) {
      const agent = traveller(seed, { timeLapse, vehicle });
      let spot = agent.spot;
      for (let step = 1; step < 1_000; step++) {
        agent.advance(2);
        assert.ok(distance(spot, agent.spot) <= 2 * Math.min(85, 11 * timeLapse) + 0.01, `${vehicle} at ${timeLapse}`);
        spot = agent.spot;
      }
    }
  }
});

test('two thirds of the readings are within their stated accuracy', () => {
  const agent = traveller(3);
  let within = 0;
  const readings = 5_000;
  for (let each = 0; each < readings; each++) {
    agent.advance(2);
    const { latitude, longitude, accuracy } = agent.read();
    const really = city.toDegrees(agent.spot);
    const north = (latitude - really.latitude) * 111_320;
    const east = (longitude - really.longitude) * 111_320 * Math.cos((really.latitude * Math.PI) / 180);
    if (Math.hypot(north, east) <= accuracy) within += 1;
  }
  const share = within / readings;
  assert.ok(share > 0.6 && share < 0.75, `${(share * 100).toFixed(1)} % were`);
});

test('the same seed makes the same way', () => {
  const [one, other] = [traveller(11), traveller(11)];
  for (let second = 0; second < 600; second++) {
    one.advance(1);
    other.advance(1);
    assert.deepEqual(one.read(), other.read());
  }
});

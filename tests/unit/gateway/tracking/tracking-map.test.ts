import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distanceText, type Place, trackingMap } from '../../../../gateway/tracking/tracking-map.ts';

const SEED = 20_261_122;

const place = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

/** Where the agent and its goal are drawn, and how long the scale is. */
function drawn(agent: Place, destination: Place) {
  const svg = trackingMap(agent, destination).toString();
  const numbers = (pattern: RegExp) => pattern.exec(svg)!.slice(1).map(Number);
  const [agentX, agentY] = numbers(/class="agent"><circle cx="([\d.-]+)" cy="([\d.-]+)"/);
  const [goalX, goalY] = numbers(/class="goal"><circle cx="([\d.-]+)" cy="([\d.-]+)"/);
  const [scale] = numbers(/class="scale" d="M12 188v4h([\d.]+)v-4"/);
  return { svg, agentX: agentX!, agentY: agentY!, goalX: goalX!, goalY: goalY!, scale: scale! };
}

test('wherever the two are, both are on the map, the scale too, and every number is one', () => {
  fc.assert(
    fc.property(place, place, (agent, destination) => {
      const { svg, scale, ...points } = drawn(agent, destination);
      assert.ok(!/NaN|Infinity|undefined/.test(svg), svg);
      for (const [name, at] of Object.entries(points)) {
        const most = name.endsWith('X') ? 320 : 200;
        assert.ok(at >= 0 && at <= most, `${name} ${at}`);
      }
      assert.ok(scale >= 30 && scale <= 90, `${scale}`);
    }),
    { seed: SEED },
  );
});

test('north is up, east is right, across the date line too', () => {
  const north = drawn({ latitude: 51.6, longitude: 0 }, { latitude: 51.5, longitude: 0 });
  assert.ok(north.agentY < north.goalY && north.agentX === north.goalX);
  const east = drawn({ latitude: 0, longitude: -179.9 }, { latitude: 0, longitude: 179.9 });
  assert.ok(east.agentX > east.goalX && east.agentY === east.goalY);
});

test('the scale is as long as it says', () => {
  // 0.1 degrees of latitude are 11.1 km, drawn over the height between the margins.
  const { svg, scale } = drawn({ latitude: 51.6, longitude: 0 }, { latitude: 51.5, longitude: 0 });
  assert.match(svg, />5 km</);
  assert.ok(Math.abs(scale - (5 / 11.12) * 128) < 1, `${scale}`);
});

test('distances are written as people say them', () => {
  const from = { latitude: 51.5, longitude: 0 };
  const told = [0, 0.0003, 0.005, 0.02, 0.025, 0.5].map((north) =>
    distanceText(from, { latitude: 51.5 + north, longitude: 0 }),
  );
  assert.deepEqual(told, ['10 m', '30 m', '560 m', '2.2 km', '2.8 km', '56 km']);
});

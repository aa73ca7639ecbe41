import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worldLines } from '../../../../gateway/console/map/ground/world.ts';

const lines = worldLines().features.map(({ geometry, properties }) => {
  assert.equal(geometry.type, 'LineString');
  return {
    kind: properties?.['kind'] as string,
    places: (geometry as { coordinates: number[][] }).coordinates,
  };
});

test('the world has coasts and borders', () => {
  for (const kind of ['coast', 'border']) assert.ok(lines.filter((line) => line.kind === kind).length > 100, kind);
});

test('no line of the world runs across the whole map', () => {
  for (const { places } of lines)
    for (const [index, [longitude = 0]] of places.entries()) {
      const next = places[index + 1]?.[0] ?? longitude;
      assert.ok(Math.abs(next - longitude) <= 180, `${longitude} to ${next}`);
    }
});

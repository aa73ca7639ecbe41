import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tileLayers } from '../../../../../gateway/console/map/ground/tile-layers.ts';

for (const theme of ['light', 'dark'] as const)
  test(`the layers of the ${theme} map need no picture, no encoded name and no font but ours and the machine's`, () => {
    const layers = tileLayers(theme, 'en');
    assert.ok(layers.length > 50);
    const text = JSON.stringify(layers);
    for (const foreign of ['icon-image', 'pgf:', 'Noto', '"background"']) assert.ok(!text.includes(foreign), foreign);
    for (const id of ['tiles-water', 'tiles-buildings', 'tiles-roads_major', 'tiles-places_locality'])
      assert.ok(
        layers.some((layer) => layer.id === id),
        id,
      );
    assert.match(text, /"Inter Variable,system-ui"/);
    assert.equal(new Set(layers.map(({ id }) => id)).size, layers.length);
  });

test('names are in the language of the page, and in English where the tiles do not know it', () => {
  assert.ok(JSON.stringify(tileLayers('light', 'de')).includes('"name:de"'));
  assert.deepEqual(tileLayers('light', 'tlh'), tileLayers('light', 'en'));
});

test('names in Devanagari are read as plain text', () => {
  assert.ok(JSON.stringify(tileLayers('light', 'hi')).includes('["get","name:hi"]'));
});

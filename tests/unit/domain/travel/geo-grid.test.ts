import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isInBox } from '../../../../engine/domain/bounding-box.ts';
import { areaOf, cellAt, cellsOf, hasCell } from '../../../../engine/domain/travel/geo-grid.ts';
import { rounds } from '../../../support/runner/rounds.ts';

const SEED = 20_261_125;

/** Ordinary ones, and those where rounding, the poles and the antimeridian are. */
const latitude = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.constantFrom(-90, 90, 0, 45, 89.99999999999999, -89.99999999999999, 52.5),
);
const longitude = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, 180, 0, 90, 179.99999999999997, -179.99999999999997, 13.4),
);
const side = fc.constantFrom(0, 1e-9, 0.001, 0.1, 3, 40, 200, 359.9, 360);

const box = fc.tuple(latitude, longitude, side, side).map(([south, west, width, height]) => ({
  west,
  south,
  east: west + width > 180 ? (width === 360 ? 180 : west + width - 360) : west + width,
  north: Math.min(90, south + height),
}));

describe('the area of a box', () => {
  test('the area of a box has the cell of every place that the box holds', () => {
    fc.assert(
      fc.property(box, latitude, longitude, fc.double({ min: 0, max: 1, noNaN: true }), (drawn, lat, lon, share) => {
        const area = areaOf(drawn);
        const { west, south, east, north } = drawn;
        const within = [west, east, 180, -180, lon].flatMap((x) =>
          [south, north, south + (north - south) * share, lat].map((y) => [y, x] as const),
        );
        for (const [y, x] of within)
          if (isInBox(drawn, y, x)) assert.ok(hasCell(area, cellAt(area.level, y, x)), `${y}, ${x}`);
      }),
      { seed: SEED, numRuns: rounds(2_000) },
    );
  });

  test('the area of a box has few cells, each once, and knows them', () => {
    fc.assert(
      fc.property(box, latitude, longitude, (drawn, lat, lon) => {
        const area = areaOf(drawn);
        const cells = new Set(cellsOf(area));
        assert.equal(cells.size, [...cellsOf(area)].length);
        assert.ok(cells.size <= 9 * 9 + 2, `${cells.size} cells`);
        for (const cell of cells) assert.ok(hasCell(area, cell));
        const elsewhere = cellAt(area.level, lat, lon);
        assert.equal(hasCell(area, elsewhere), cells.has(elsewhere));
      }),
      { seed: SEED, numRuns: rounds(2_000) },
    );
  });

  test('the area of a box ends within half of the longer side', () => {
    for (const [west, south, east, north] of [
      [13, 52, 14, 53],
      [13, 52, 13.3, 52.1],
      [13, 52, 13.01, 52.4],
      [179, -10, -179, -9],
    ] as const) {
      const drawn = { west, south, east, north };
      const { level, lastRow, firstRow, columns } = areaOf(drawn);
      const longer = Math.max(east - west + (west > east ? 360 : 0), north - south);
      assert.ok((lastRow - firstRow + 1) * (180 / 2 ** level) < north - south + longer);
      assert.ok(columns * (360 / 2 ** level) < east - west + (west > east ? 360 : 0) + longer);
    }
  });
});

test('nowhere is in no cell', () => {
  const area = areaOf({ west: -180, south: -90, east: 180, north: 90 });
  assert.equal(hasCell(area, cellAt(area.level, Number.NaN, Number.NaN)), false);
});

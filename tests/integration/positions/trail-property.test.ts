import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { countTrail, readTrail } from '../../../engine/store/positions/trail-store.ts';
import type { Point } from '../../../schema/fleet/position.ts';
import type { TrailPoint } from '../../../schema/fleet/trail.ts';
import { openTrailPlace, pointAt, type TrailPlace, untilWritten } from './trail-place.ts';

/** However a recorded track is delivered, its trail is the same. */

const RUNS = 25;
const START_MS = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
const SPAN_MS = 20_000;
const from = new Date(START_MS).toISOString();
const to = new Date(START_MS + SPAN_MS).toISOString();

let place: TrailPlace;
before(async () => {
  place = await openTrailPlace();
});
after(() => place.stop());

/** Few values, so that seconds, milliseconds and places coincide. */
const fewNumbers = fc.integer({ min: 0, max: 3 });
const perhaps = fc.oneof(fewNumbers, fc.constant(Number.NaN));
const track = fc.array(
  fc
    .record({
      second: fc.integer({ min: 0, max: SPAN_MS / 1_000 - 1 }),
      ms: fc.constantFrom(0, 1, 500, 999),
      latitude: fewNumbers,
      longitude: fewNumbers,
      accuracy: perhaps,
      speed: perhaps,
      heading: perhaps,
      altitude: perhaps,
      battery: perhaps,
    })
    .map(({ second, ms, ...rest }) => pointAt(START_MS + second * 1_000 + ms, rest)),
  { maxLength: 60 },
);
/** For each point in the order of its arrival: which one it is; some come twice. `cuts`: where writing is waited for. */
const delivery = fc.record({
  order: fc.array(fc.nat(), { maxLength: 90 }),
  shuffle: fc.infiniteStream(fc.nat()),
  cuts: fc.array(fc.nat({ max: 100 }), { maxLength: 3 }),
});

function shuffled<T>(values: readonly T[], draw: () => number): T[] {
  const left = [...values];
  return values.map(() => left.splice(draw() % left.length, 1)[0]!);
}

/** A way by which points get into the trail of an agent. */
type Deliver = (agentId: number, batches: readonly (readonly Point[])[]) => Promise<void>;

const throughBuffer: Deliver = async (agentId, batches) => {
  const buffer = place.buffer({ flushMs: 5 });
  for (const batch of batches) {
    for (const point of batch) buffer.note(place.organizationId, agentId, point, Date.now());
    if (batch !== batches.at(-1)) await untilWritten(buffer);
  }
  await buffer.stop();
};

async function readPages(agentId: number, limit: number): Promise<TrailPoint[]> {
  const items: TrailPoint[] = [];
  for (let after: string | undefined; ; after = items.at(-1)!.recordedAt) {
    const page = await readTrail(place.sql, place.organizationId, agentId, { from, to, after, limit });
    items.push(...page!.items);
    if (!page!.hasMore) return items;
    assert.equal(page!.items.length, limit);
  }
}

const KEYS = ['latitude', 'longitude', 'accuracy', 'speed', 'heading', 'altitude', 'battery'] as const;

/** The rule as decisions have it: of each second the earliest, then the least, with nothing said behind all numbers. */
function trailOf(points: readonly Point[]): TrailPoint[] {
  const rank = (value: number) => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : value);
  const order = (a: Point, b: Point) => {
    if (a.recordedAtMs !== b.recordedAtMs) return a.recordedAtMs - b.recordedAtMs;
    for (const key of KEYS) if (rank(a[key]) !== rank(b[key])) return rank(a[key]) < rank(b[key]) ? -1 : 1;
    return 0;
  };
  const bySecond = new Map<number, Point>();
  for (const point of points.toSorted(order)) {
    const second = Math.floor(point.recordedAtMs / 1_000);
    if (!bySecond.has(second)) bySecond.set(second, point);
  }
  return [...bySecond.values()].map(({ recordedAtMs, ...rest }) => ({
    ...(Object.fromEntries(KEYS.map((key) => [key, Number.isNaN(rest[key]) ? null : rest[key]])) as Omit<
      TrailPoint,
      'recordedAt'
    >),
    recordedAt: new Date(recordedAtMs).toISOString(),
  }));
}

test('a track that arrives shuffled, twice, late and in pieces ends in the trail of the ordered one', async () => {
  await fc.assert(
    fc.asyncProperty(
      track,
      delivery,
      fc.integer({ min: 1, max: 7 }),
      async (points, { order, shuffle, cuts }, limit) => {
        const ordered = points.toSorted((a, b) => a.recordedAtMs - b.recordedAtMs);
        const repeated = points.length === 0 ? [] : order.map((index) => points[index % points.length]!);
        const arriving = shuffled([...points, ...repeated], () => shuffle.next().value!);
        const bounds = [
          0,
          ...cuts.map((cut) => cut % (arriving.length + 1)).toSorted((a, b) => a - b),
          arriving.length,
        ];
        const batches = bounds.slice(1).map((end, index) => arriving.slice(bounds[index], end));
        const [one, other] = [await place.agent(), await place.agent()];
        await throughBuffer(one, [ordered]);
        await throughBuffer(other, batches);
        const expected = trailOf(points);
        assert.deepEqual(await readPages(one, 1_000), expected);
        assert.deepEqual(await readPages(other, limit), expected);
        const count = await countTrail(place.sql, place.organizationId, other, { from, to });
        assert.equal(count, expected.length);
      },
    ),
    { numRuns: RUNS, seed: 20_261_121 },
  );
});

test('a span that begins within a second leaves out a second whose point came before it', async () => {
  const { sql, organizationId } = place;
  const agentId = await place.agent();
  const points = [100, 700, 1_200, 1_300, 2_000].map((ms) => pointAt(START_MS + ms));
  await throughBuffer(agentId, [points]);
  const read = async (fromMs: number, toMs: number) => {
    const span = { from: new Date(START_MS + fromMs).toISOString(), to: new Date(START_MS + toMs).toISOString() };
    const page = await readTrail(sql, organizationId, agentId, { ...span, limit: 10 });
    assert.equal(await countTrail(sql, organizationId, agentId, span), page!.items.length);
    return page!.items.map(({ recordedAt }) => Date.parse(recordedAt) - START_MS);
  };
  assert.deepEqual(await read(0, 3_000), [100, 1_200, 2_000]);
  assert.deepEqual(await read(500, 2_000), [1_200]);
  assert.deepEqual(await read(100, 1_200), [100]);
  assert.deepEqual(await read(2_001, 3_000), []);
});

test('an agent that the organization does not have has no trail, one without points an empty one', async () => {
  const { sql, organizationId, agentId } = place;
  assert.deepEqual(await readTrail(sql, organizationId, agentId, { from, to, limit: 5 }), {
    items: [],
    hasMore: false,
  });
  assert.equal(await readTrail(sql, organizationId, 999_000_111, { from, to, limit: 5 }), undefined);
  assert.equal(await readTrail(sql, organizationId + 1_000, agentId, { from, to, limit: 5 }), undefined);
});

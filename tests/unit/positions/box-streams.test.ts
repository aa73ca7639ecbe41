import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isInBox } from '../../../engine/domain/bounding-box.ts';
import { LiveAgent } from '../../../engine/positions/live-agent.ts';
import { LocationFeed } from '../../../engine/positions/location-feed.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { BoundingBox } from '../../../schema/fleet/position.ts';
import { rounds } from '../../support/runner/rounds.ts';

const SEED = 20_261_126;
const NOON = Date.UTC(2026, 10, 21, 12);
const AGENTS = 8;
const STREAMS = 5;
/** The width of the finest cells; from south to north they have half of that. */
const FINEST_DEGREES = 360 / 2 ** 20;

const center = fc.constantFrom([52.5, 13.4], [0, 180], [0.01, -179.99], [90, 0], [-90, 10], [45, -180], [-33.9, 18.4]);
const away = fc.constantFrom(0, 0.0001, 0.01, 0.4, 2, -0.0001, -0.01, -0.4, -2);

function wrapped(degrees: number): number {
  if (degrees > 180) return degrees - 360;
  return degrees < -180 ? degrees + 360 : degrees;
}

const place = fc.tuple(center, away, away).map(([[latitude, longitude], north, east]) => ({
  latitude: Math.min(90, Math.max(-90, latitude! + north)),
  longitude: wrapped(longitude! + east),
}));

const box = fc
  .tuple(center, fc.constantFrom(0, 0.0002, 0.02, 0.5, 3, 170), fc.constantFrom(0, 0.0002, 0.02, 0.5, 3, 60))
  .map(
    ([[latitude, longitude], east, north]): BoundingBox => ({
      west: wrapped(longitude! - east),
      south: Math.max(-90, latitude! - north),
      east: wrapped(longitude! + east),
      north: Math.min(90, latitude! + north),
    }),
  );

const step = fc.record({
  moves: fc.array(fc.tuple(fc.nat(AGENTS - 1), place), { maxLength: 6 }),
  ready: fc.array(fc.boolean(), { minLength: STREAMS, maxLength: STREAMS }),
});

/** As far as a stream of the box may look: on each side by less than half of the longer one. */
function grown({ west, south, east, north }: BoundingBox): BoundingBox {
  const width = east - west + (west > east ? 360 : 0);
  const cell = Math.max(width / 4, (north - south) / 2, FINEST_DEGREES);
  const isRound = width + 2 * cell >= 360;
  return {
    west: isRound ? -180 : wrapped(west - cell),
    south: Math.max(-90, south - cell / 2),
    east: isRound ? 180 : wrapped(east + cell),
    north: Math.min(90, north + cell / 2),
  };
}

interface Watched {
  readonly box: BoundingBox;
  readonly messages: number[][];
  isReady: boolean;
  /** Agents that moved in its box, or out of it, since its last message; and the first tick that it missed. */
  owed: Set<number>;
  behindSince: number;
}

function watch(feed: LocationFeed, drawn: BoundingBox): Watched {
  const watched: Watched = { box: drawn, messages: [], isReady: true, owed: new Set(), behindSince: Infinity };
  const onFrame = (pieces: readonly Buffer[]) => {
    const [, json] = /^event: agent\.locations_updated\ndata: (.*)\n\n$/.exec(pieces.join(''))!;
    const { data } = JSON.parse(json!) as { data: { items: { agentId: number }[]; count: number } };
    assert.equal(data.count, data.items.length);
    watched.messages.push(data.items.map(({ agentId }) => agentId));
  };
  feed.subscribe(1, { bbox: drawn }, { isReady: () => watched.isReady, onFrame });
  return watched;
}

test('a stream of a box gets every changed agent that is or was in it, once, and none beyond the rounded box', () => {
  fc.assert(
    fc.property(
      fc.array(box, { minLength: STREAMS, maxLength: STREAMS }),
      fc.array(step, { maxLength: 8 }),
      (boxes, steps) => {
        const scheduler = { soon: (task: () => void) => task() };
        const feed = new LocationFeed({
          clock: { now: () => NOON, monotonic: () => 0 },
          scheduler,
          log: createLog('test', 'silent'),
        });
        const agents = Array.from({ length: AGENTS }, (_, index) => new LiveAgent(index + 1));
        const foreign = new LiveAgent(99);
        const streams = boxes.map((drawn) => watch(feed, drawn));
        /** The places of each agent, and when it moved there. */
        const places = agents.map(() => [] as { latitude: number; longitude: number; tick: number }[]);
        for (const [tick, { moves, ready }] of steps.entries()) {
          const moved = new Map(moves.map(([index, to]) => [agents[index]!, to] as const));
          const oldest = Math.min(tick, ...streams.map(({ behindSince }) => behindSince));
          for (const [agent, to] of moved) {
            Object.assign(agent, to, { recordedAtMs: NOON, receivedAtMs: NOON });
            const known = places[agent.agentId - 1]!;
            const before = known.at(-1);
            known.push({ ...to, tick });
            for (const { box: drawn, owed } of streams) {
              const isConcerned = [before, to].some((at) => at && isInBox(drawn, at.latitude, at.longitude));
              if (isConcerned) owed.add(agent.agentId);
            }
          }
          for (const [index, stream] of streams.entries()) stream.isReady = ready[index]!;
          feed.tell(1, [...moved.keys()], NOON);
          feed.tell(2, [Object.assign(foreign, moves[0]?.[1])], NOON);
          for (const stream of streams) {
            if (!stream.isReady) {
              assert.deepEqual(stream.messages, []);
              stream.behindSince = Math.min(stream.behindSince, tick);
              continue;
            }
            const told = stream.messages.splice(0);
            assert.ok(told.length <= 1, 'one message a tick');
            const ids = new Set(told.flat());
            assert.equal(ids.size, told.flat().length, 'each agent once');
            for (const id of stream.owed) assert.ok(ids.has(id), `agent ${id} is missing`);
            const wide = grown(stream.box);
            const since = stream.behindSince === Infinity ? tick : oldest;
            for (const id of ids) {
              const known = places[id - 1] ?? [];
              const first = known.findIndex((at) => at.tick >= since);
              assert.ok(first >= 0, `agent ${id} has not moved, or is another organization's`);
              const seen = known.slice(Math.max(0, first - 1));
              assert.ok(
                seen.some(({ latitude, longitude }) => isInBox(wide, latitude, longitude)),
                `agent ${id} was never near`,
              );
            }
            stream.owed = new Set();
            stream.behindSince = Infinity;
          }
        }
      },
    ),
    { seed: SEED, numRuns: rounds(500) },
  );
});

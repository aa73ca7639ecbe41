import * as v from 'valibot';
import { id, isoTime, numberBetween, queryIds } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { nullableId, nullableTime, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

/**
 * The report of a device about one moment: degrees, metres, metres a second, degrees clockwise from north, percent. NaN
 * stands for a missing value, so that all fields are numbers: there are hundreds of thousands of these a second.
 */
export interface Point {
  readonly latitude: number;
  readonly longitude: number;
  readonly recordedAtMs: number;
  readonly accuracy: number;
  readonly speed: number;
  readonly heading: number;
  readonly altitude: number;
  readonly battery: number;
}

export interface DevicePoint extends Point {
  readonly agentId: number;
}

/** Least and most of each number that a point may carry; read-points.ts uses the same bounds. */
export const POINT_RANGES = {
  latitude: [-90, 90],
  longitude: [-180, 180],
  accuracy: [0, 100_000],
  speed: [0, 500],
  heading: [0, 360],
  altitude: [-1_000, 100_000],
  battery: [0, 100],
} as const;

const between = ([least, most]: readonly [number, number]) => numberBetween(least, most);

const pointEntries = {
  latitude: between(POINT_RANGES.latitude),
  longitude: between(POINT_RANGES.longitude),
  recordedAt: isoTime,
  accuracy: v.nullish(between(POINT_RANGES.accuracy)),
  speed: v.nullish(between(POINT_RANGES.speed)),
  heading: v.nullish(between(POINT_RANGES.heading)),
  altitude: v.nullish(between(POINT_RANGES.altitude)),
  battery: v.nullish(between(POINT_RANGES.battery)),
};

interface SentPoint {
  readonly latitude: number;
  readonly longitude: number;
  readonly recordedAt: string;
  readonly accuracy?: number | null | undefined;
  readonly speed?: number | null | undefined;
  readonly heading?: number | null | undefined;
  readonly altitude?: number | null | undefined;
  readonly battery?: number | null | undefined;
}

function pointOf(sent: SentPoint): Point {
  return {
    latitude: sent.latitude,
    longitude: sent.longitude,
    recordedAtMs: Date.parse(sent.recordedAt),
    accuracy: sent.accuracy ?? Number.NaN,
    speed: sent.speed ?? Number.NaN,
    heading: sent.heading ?? Number.NaN,
    altitude: sent.altitude ?? Number.NaN,
    battery: sent.battery ?? Number.NaN,
  };
}

function listOf<T extends v.GenericSchema>(item: T, most: number) {
  return v.pipe(
    v.array(item, 'must be a list'),
    v.minLength(1, 'must not be empty'),
    v.maxLength(most, `must have at most ${most} entries`),
  );
}

const OBJECT = 'must be an object';
const ownPoint = v.pipe(named('OwnPointInput', v.object(pointEntries, OBJECT)), v.transform(pointOf));
const devicePoint = v.pipe(
  named('DevicePointInput', v.object({ agentId: id, ...pointEntries }, OBJECT)),
  v.transform((sent): DevicePoint => ({ agentId: sent.agentId, ...pointOf(sent) })),
);

/** The body of POST /agents/me/locations: points of one agent, in any order. */
export const ownPointsInput = named(
  'OwnPointsInput',
  v.object({ points: listOf(ownPoint, LIMITS.pointsOfOneAgent) }, 'the body must be an object'),
);
export type OwnPointsInput = v.InferOutput<typeof ownPointsInput>;

/** The body of POST /agents/locations: points of many agents, collected by a trusted device gateway. */
export const devicePointsInput = named(
  'DevicePointsInput',
  v.object({ points: listOf(devicePoint, LIMITS.pointsOfDeviceGateway) }, 'the body must be an object'),
);
export type DevicePointsInput = v.InferOutput<typeof devicePointsInput>;

/** How many of the points that were sent became current, came too late for that, and were refused. */
export const tallyView = named(
  'PositionTally',
  v.object({ accepted: shownInteger, stale: shownInteger, rejected: shownInteger }),
);
export type Tally = v.InferOutput<typeof tallyView>;

export const heartbeatInput = named(
  'HeartbeatInput',
  v.object({ battery: v.nullish(between(POINT_RANGES.battery)) }, 'the body must be an object'),
);

export const positionView = named(
  'Position',
  v.object({
    agentId: shownId,
    latitude: v.number(),
    longitude: v.number(),
    accuracy: v.nullable(v.number()),
    heading: v.nullable(v.number()),
    speed: v.nullable(v.number()),
    recordedAt: shownTime,
    receivedAt: shownTime,
    isStale: v.boolean(),
    onDuty: v.boolean(),
    activeTaskId: nullableId,
  }),
);
export type PositionView = v.InferOutput<typeof positionView>;

export const positionListView = named('PositionList', v.object({ items: v.array(positionView), count: shownInteger }));

/** Degrees. One whose `west` is greater than its `east` goes across the antimeridian. */
export interface BoundingBox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

const NOT_A_BOX = 'must be west,south,east,north in degrees, south not above north';

export const queryBox = v.pipe(
  v.string(),
  v.rawTransform<string, BoundingBox>(({ dataset, addIssue, NEVER }) => {
    const box = parseBox(dataset.value);
    if (box) return box;
    addIssue({ message: NOT_A_BOX });
    return NEVER;
  }),
);

/** As programs write numbers: all digits of a double, and a small one, such as near Greenwich, with its exponent. */
const DEGREES = /^-?\d{1,3}(\.\d{1,30})?(e-\d{1,3})?$/i;

function parseBox(text: string): BoundingBox | undefined {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length !== 4 || !parts.every((part) => DEGREES.test(part))) return undefined;
  const [west, south, east, north] = parts.map(Number) as [number, number, number, number];
  const isOnEarth = Math.abs(west) <= 180 && Math.abs(east) <= 180 && south >= -90 && north <= 90;
  return isOnEarth && south <= north ? { west, south, east, north } : undefined;
}

/** The query of GET /agents/locations/current. */
export const currentPositionsQuery = v.object({
  bbox: v.optional(queryBox),
  agentIds: v.optional(queryIds),
});

/** When the agent's position was recorded, null for none yet, and when it was heard of last. */
export const heartbeatView = named(
  'Heartbeat',
  v.object({
    recordedAt: nullableTime,
    receivedAt: shownTime,
    isStale: v.boolean(),
  }),
);
export type HeartbeatView = v.InferOutput<typeof heartbeatView>;

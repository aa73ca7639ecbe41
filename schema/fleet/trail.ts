import * as v from 'valibot';
import { isoTime, parseIsoTime, queryInteger } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { shownAs } from '../fields/shown-as.ts';
import { shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

const DAY_MS = 86_400_000;

/** Where a page of a trail goes on, and what its list was made of. */
export interface TrailCursor {
  readonly agentId: number;
  readonly from: string;
  readonly to: string;
  /** The last point of the page before. */
  readonly after: string;
  /** How many points the whole span had when its first page was read. */
  readonly count: number;
}

const entries = {
  from: shownAs(v.optional(isoTime), { description: 'The first moment of the span; a day before `to` unless given' }),
  to: shownAs(v.optional(isoTime), { description: 'The moment after the span, not in it; now unless given' }),
  limit: v.optional(queryInteger(1, LIMITS.trailPageSize), String(LIMITS.defaultTrailPageSize)),
  cursor: v.optional(v.string()),
};

/**
 * The query of GET /agents/:id/trail. The span is half-open, and empty where `to` is not after `from`; `to` is now unless
 * given, and `from` a day before it. A page that is asked for by a cursor is of the cursor's span.
 */
export function trailQuery(now: () => number) {
  return v.pipe(
    v.object(entries),
    v.transform(({ limit, cursor, from, to }) => {
      const after = cursor === undefined ? undefined : parseTrailCursor(cursor);
      const end = to ?? after?.to ?? new Date(now()).toISOString();
      const dayBefore = new Date(Date.parse(end) - DAY_MS).toISOString();
      return { from: from ?? after?.from ?? dayBefore, to: end, limit, cursor, after };
    }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const { from, to, cursor, after } = dataset.value;
      const report = (key: 'to' | 'cursor', message: string) =>
        addIssue({
          message,
          path: [{ type: 'object', origin: 'value', input: dataset.value, key, value: dataset.value[key] }],
        });
      const spanMs = Date.parse(to) - Date.parse(from);
      if (cursor !== undefined && (after?.from !== from || after.to !== to))
        report('cursor', 'must be the nextCursor of a trail of this agent with the same from and to');
      else if (spanMs > LIMITS.trailSpanDays * DAY_MS)
        report('to', `must be at most ${LIMITS.trailSpanDays} days after from`);
    }),
  );
}
export type TrailQuery = v.InferOutput<ReturnType<typeof trailQuery>>;

export function formatTrailCursor({ agentId, from, to, after, count }: TrailCursor): string {
  return Buffer.from(JSON.stringify([agentId, from, to, after, count])).toString('base64url');
}

function parseTrailCursor(text: string): TrailCursor | undefined {
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    const [agentId, from, to, after, count] = parts;
    if (!isCount(agentId) || !isCount(count) || !isMoment(from) || !isMoment(to) || !isMoment(after)) return undefined;
    return { agentId, from, to, after, count };
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isMoment(value: unknown): value is string {
  return typeof value === 'string' && parseIsoTime(value) === value;
}

const measured = v.nullable(v.number());

const trailPointView = named(
  'TrailPoint',
  v.object({
    latitude: v.number(),
    longitude: v.number(),
    accuracy: measured,
    speed: measured,
    heading: measured,
    altitude: measured,
    battery: measured,
    recordedAt: shownTime,
  }),
);
/** Degrees, metres, metres a second, degrees clockwise from north, percent; null for what the device did not say. */
export type TrailPoint = v.InferOutput<typeof trailPointView>;

/** Oldest first; `nextCursor` is null at the end. `count` is that of the whole span when its first page was read. */
export const trailPageView = named(
  'TrailPage',
  v.object({
    items: v.array(trailPointView),
    count: shownInteger,
    nextCursor: v.nullable(v.string()),
  }),
);

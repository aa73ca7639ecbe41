import * as v from 'valibot';
import { isoTime, parseIsoTime } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { shownAs } from '../fields/shown-as.ts';
import { shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

/** A span of time, its end not included. ISO 8601 UTC. */
export interface WorkSpan {
  readonly startsAt: string;
  readonly endsAt: string;
}

/** When an agent works; its breaks lie inside, in order and apart. */
export interface WorkShift extends WorkSpan {
  readonly breaks: readonly WorkSpan[];
}

const span = { startsAt: isoTime, endsAt: isoTime };
const breakInput = named('BreakInput', v.object(span, 'must be an object'));
const shiftInput = named(
  'ShiftInput',
  v.object(
    {
      ...span,
      breaks: v.nullish(
        v.pipe(
          v.array(breakInput, 'must be an array'),
          v.maxLength(LIMITS.breaksPerShift, `must hold at most ${LIMITS.breaksPerShift} items`),
        ),
      ),
    },
    'must be an object',
  ),
);

/** The body of PUT /agents/:id/shifts: the shifts that start in [from, to), instead of those that started there. */
export const putShiftsInput = v.pipe(
  named(
    'PutShiftsInput',
    v.object(
      {
        from: isoTime,
        to: isoTime,
        shifts: v.pipe(
          v.array(shiftInput, 'must be an array'),
          v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`),
        ),
      },
      'the body must be an object',
    ),
  ),
  v.rawCheck<Body>(({ dataset, addIssue }) => {
    for (const { path, message } of violationsOf(dataset.value)) {
      addIssue({ message, path: pathItems(dataset.value, path) });
    }
  }),
);
export type PutShiftsInput = v.InferOutput<typeof putShiftsInput>;
type Body = { from: string; to: string; shifts: Span[] };
type Span = { startsAt: string; endsAt: string; breaks?: Span[] | null | undefined };

type Path = readonly [string | number, ...(string | number)[]];
interface Violation {
  readonly path: Path;
  readonly message: string;
}

/** The faults of a body as it came. The rules of a field refuse what is no moment or no span. */
function* violationsOf(body: unknown): Generator<Violation> {
  const range = spanOf(body, 'from', 'to');
  if (range && range.endsAt <= range.startsAt) yield { path: ['to'], message: 'must be after from' };
  const shifts = entriesOf(body, 'shifts');
  for (const [index, shift] of shifts.entries()) {
    yield* violationsOfSpan(shift, ['shifts', index]);
    const own = spanOf(shift);
    if (own && range && !(range.startsAt <= own.startsAt && own.startsAt < range.endsAt))
      yield { path: ['shifts', index, 'startsAt'], message: 'must be in the range from `from` to `to`' };
    const breaks = entriesOf(shift, 'breaks');
    for (const [at, pause] of breaks.entries()) {
      const path = ['shifts', index, 'breaks', at] as const;
      yield* violationsOfSpan(pause, path);
      const inner = spanOf(pause);
      if (own && inner && (inner.startsAt < own.startsAt || own.endsAt < inner.endsAt))
        yield { path, message: 'must be within its shift' };
    }
    yield* overlapsOf(breaks, ['shifts', index, 'breaks']);
  }
  yield* overlapsOf(shifts, ['shifts']);
}

function* violationsOfSpan(value: unknown, path: Path): Generator<Violation> {
  const span = spanOf(value);
  if (span && span.endsAt <= span.startsAt) yield { path: [...path, 'endsAt'], message: 'must be after startsAt' };
}

/** Each that begins before another one has ended, named with that one. */
function* overlapsOf(values: readonly unknown[], path: Path): Generator<Violation> {
  const spans = values.flatMap((value, index) => {
    const span = spanOf(value);
    return span && span.startsAt < span.endsAt ? [{ index, ...span }] : [];
  });
  spans.sort((one, other) => (one.startsAt < other.startsAt ? -1 : 1));
  let last = spans[0];
  for (const span of spans.slice(1)) {
    if (span.startsAt < last!.endsAt)
      yield { path: [...path, span.index], message: `must not overlap ${[...path, last!.index].join('.')}` };
    if (span.endsAt > last!.endsAt) last = span;
  }
}

function spanOf(value: unknown, start = 'startsAt', end = 'endsAt'): WorkSpan | undefined {
  const [startsAt, endsAt] = [momentOf(value, start), momentOf(value, end)];
  return startsAt !== undefined && endsAt !== undefined ? { startsAt, endsAt } : undefined;
}

function momentOf(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key);
  return typeof field === 'string' ? parseIsoTime(field) : undefined;
}

function entriesOf(value: unknown, key: string): readonly unknown[] {
  const field = fieldOf(value, key);
  return Array.isArray(field) ? field.slice(0, LIMITS.listItems) : [];
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function pathItems(body: unknown, path: Path): [v.IssuePathItem, ...v.IssuePathItem[]] {
  let input = body;
  return path.map((key) => {
    const value = fieldOf(input, String(key));
    const item = { type: 'unknown', origin: 'value', input, key, value } as const;
    input = value;
    return item;
  }) as [v.IssuePathItem, ...v.IssuePathItem[]];
}

/** The query of GET /agents/:id/shifts: those that start in [from, to). */
export const listShiftsQuery = v.object({
  from: v.optional(isoTime),
  to: shownAs(v.optional(isoTime), { description: 'Starting before this moment, not at it' }),
});

const shownSpan = { startsAt: shownTime, endsAt: shownTime };
export const shiftView = named(
  'Shift',
  v.object({ ...shownSpan, breaks: v.array(named('Break', v.object(shownSpan))) }),
);
export type ShiftView = v.InferOutput<typeof shiftView>;

export const shiftListView = named('ShiftList', v.object({ items: v.array(shiftView), count: shownInteger }));

import type { WorkShift, WorkSpan } from '../../../schema/fleet/shift.ts';
import type { Slot } from '../assignment/round-view.ts';

/** When an agent does nothing. */
export interface Rests {
  /** In order and apart. No way, no wait and no service leads into one: what would comes after it. */
  readonly breaks: readonly Slot[];
  /** Between shifts, in order. Nobody sets out then; the stop that an agent has set out for is carried to its end. */
  readonly timeOff: readonly Slot[];
}

export const NO_RESTS: Rests = { breaks: [], timeOff: [] };

/** When an agent sets out for a stop, so far away, that it could set out for at `from`. */
export function setOutAt(
  rests: Rests,
  from: number,
  wayMs: number,
  { earliest, serviceMs }: { readonly earliest: number; readonly serviceMs: number },
): number {
  if (rests === NO_RESTS) return from;
  let at = from;
  for (;;) {
    const rest = restWithin(rests, at, Math.max(at + wayMs, earliest) + serviceMs);
    if (!rest) return at;
    at = rest.until;
  }
}

function restWithin({ breaks, timeOff }: Rests, from: number, until: number): Slot | undefined {
  for (const rest of breaks) if (rest.from < until && from < rest.until) return rest;
  for (const rest of timeOff) if (rest.from < from && from < rest.until) return rest;
  return undefined;
}

/** By how much later an agent may set out for a stop, and leave it, before a rest comes in between. */
export function roomBeforeRest({ breaks, timeOff }: Rests, from: number, until: number): number {
  let room = Number.POSITIVE_INFINITY;
  for (const rest of breaks) if (rest.from >= until) room = Math.min(room, rest.from - until);
  for (const rest of timeOff) if (rest.from >= from) room = Math.min(room, rest.from - from);
  return room;
}

/** Once for each list of shifts: agents report every few seconds. */
const parsed = new WeakMap<readonly WorkShift[], Rests>();

/**
 * The rests of an agent with these shifts; one without any is bound by duty alone. After the last shift that is known
 * nobody says when it works again: its stops are then expected as if it went on. An agent on duty outside its shifts
 * does what it is at, and no more.
 */
export function restsOf(shifts: readonly WorkShift[] | null, onDuty: boolean, now: number): Rests {
  if (shifts === null || shifts.length === 0) return NO_RESTS;
  const known = parsed.get(shifts) ?? parse(shifts);
  parsed.set(shifts, known);
  const { breaks, timeOff } = known;
  const current = onDuty ? timeOff.findIndex(({ from, until }) => from < now && now < until) : -1;
  return current < 0 ? known : { breaks, timeOff: timeOff.with(current, { ...timeOff[current]!, from: now }) };
}

/** Shifts are in order and apart, and so are their breaks. */
function parse(shifts: readonly WorkShift[]): Rests {
  const timeOff: Slot[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const shift of shifts) {
    const { from: startsAt, until } = slotOf(shift);
    if (from < startsAt) timeOff.push({ from, until: startsAt });
    from = until;
  }
  return { breaks: shifts.flatMap(({ breaks }) => breaks.map(slotOf)), timeOff };
}

function slotOf({ startsAt, endsAt }: WorkSpan): Slot {
  return { from: Date.parse(startsAt), until: Date.parse(endsAt) };
}

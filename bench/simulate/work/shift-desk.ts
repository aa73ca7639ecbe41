import type { Client } from '../../../gateway/client/create-client.ts';
import type { Draw } from '../city.ts';
import { inParallel } from '../in-parallel.ts';
import { type Range, SCENARIOS } from '../orders/scenarios.ts';
import type { DriverDay } from './driver-day.ts';
import type { Pace } from './pace.ts';
import type { Simulation } from './simulation.ts';

/** Milliseconds since the epoch; the end is not included. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export interface WorkingTime extends Span {
  readonly pause: Span;
}

/** Written at once for each driver, and again when the last of them has begun. */
const SHIFTS = 40;
const AT_A_TIME = 8;
/** Those of a simulation that was cut off are replaced, too. */
const [EVER, NEVER] = ['2000-01-01T00:00:00.000Z', '2200-01-01T00:00:00.000Z'];

/** Gives each driver its shifts, with a break in each, as a planner of the staff does. */
export class ShiftDesk {
  readonly #simulation: Simulation;
  readonly #client: Client;
  readonly #days: readonly DriverDay[];
  readonly #draw: Draw;

  constructor(simulation: Simulation, client: Client, days: readonly DriverDay[], draw: Draw) {
    this.#simulation = simulation;
    this.#client = client;
    this.#days = days;
    this.#draw = draw;
  }

  /** Goes on planning, until the signal is aborted. */
  async run(): Promise<void> {
    const { signal, pace, api } = this.#simulation;
    while (!signal.aborted) {
      try {
        await pace.until(Math.min(...this.#days.map(({ shifts }) => shifts.at(-1)!.from)), signal);
        await this.planAll();
      } catch (error) {
        if (!signal.aborted) api.note(error);
        await pace.wait(60, signal).catch(() => {});
      }
    }
  }

  /** Before anybody works, and again when the last of the shifts has begun. */
  async planAll(): Promise<void> {
    await inParallel(this.#days, AT_A_TIME, (day) => this.#plan(day));
  }

  async #plan(day: DriverDay): Promise<void> {
    const { pace, scenario } = this.#simulation;
    const left = day.shifts.filter(({ until }) => until > Date.now());
    const begin = left.at(-1)?.until;
    day.shifts = [...left, ...drawShifts(SCENARIOS[scenario].shift, pace, this.#draw, begin)];
    await putShifts(this.#client, day.agentId, day.shifts);
  }
}

/** One after the other from `begin` on; without it the first has begun already, at a moment of its own for each driver. */
function drawShifts(
  { work, pause, off }: { readonly work: Range; readonly pause: Range; readonly off: Range },
  pace: Pace,
  draw: Draw,
  begin?: number,
): WorkingTime[] {
  const ms = ([least, most]: Range) => ((least + draw(most - least + 1)) * 60_000) / pace.timeLapse;
  const shifts: WorkingTime[] = [];
  let from = begin === undefined ? Date.now() - draw(Math.ceil(ms(work))) : begin + ms(off);
  for (let made = 0; made < SHIFTS; made += 1) {
    const pauseFrom = from + ms(work);
    const pauseUntil = pauseFrom + ms(pause);
    const until = pauseUntil + ms(work);
    shifts.push({ from, until, pause: { from: pauseFrom, until: pauseUntil } });
    from = until + ms(off);
  }
  return shifts;
}

/** Instead of all that the driver has. Without any it is bound by duty alone. */
export async function putShifts(client: Client, id: number, shifts: readonly WorkingTime[]): Promise<void> {
  const span = ({ from, until }: Span) => ({ startsAt: isoOf(from), endsAt: isoOf(until) });
  const body = { from: EVER, to: NEVER, shifts: shifts.map((one) => ({ ...span(one), breaks: [span(one.pause)] })) };
  await client.put('/agents/{id}/shifts', { path: { id }, body });
}

/** When a driver that does nothing now goes on; undefined for one that works. */
export function restEndsAt(shifts: readonly WorkingTime[], nowMs: number): number | undefined {
  const current = shifts.find(({ until }) => nowMs < until);
  if (!current) return undefined;
  if (nowMs < current.from) return current.from;
  const { pause } = current;
  return pause.from <= nowMs && nowMs < pause.until ? pause.until : undefined;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

import type { Client } from '../../../gateway/client/create-client.ts';
import type { Draw } from '../city.ts';
import { inParallel } from '../in-parallel.ts';
import { SCENARIOS } from '../orders/scenarios.ts';
import type { DriverDay } from './driver-day.ts';
import type { Simulation } from './simulation.ts';
import { drawShifts, type Span, type WorkingTime } from './working-time.ts';

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
    const { scenario } = this.#simulation;
    const left = day.shifts.filter(({ until }) => until > Date.now());
    const begin = left.at(-1)?.until;
    day.shifts = [...left, ...drawShifts(SCENARIOS[scenario].shift, this.#draw, begin)];
    await putShifts(this.#client, day.agentId, day.shifts);
  }
}

/** Instead of those that the driver has. Without any it is bound by duty alone. */
export async function putShifts(client: Client, id: number, shifts: readonly WorkingTime[]): Promise<void> {
  const span = ({ from, until }: Span) => ({ startsAt: isoOf(from), endsAt: isoOf(until) });
  const body = { from: EVER, to: NEVER, shifts: shifts.map((one) => ({ ...span(one), breaks: [span(one.pause)] })) };
  await client.put('/agents/{id}/shifts', { path: { id }, body });
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

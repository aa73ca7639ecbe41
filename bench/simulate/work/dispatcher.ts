import type { Client } from '../../../gateway/client/create-client.ts';
import { type Draw, distance } from '../city.ts';
import { SCENARIOS } from '../orders/scenarios.ts';
import type { DriverDay } from './driver-day.ts';
import { isAboard, type Simulation, type Task } from './simulation.ts';

/** From a failure until it is dealt with, and the time that the next attempt gets. Minutes. */
const UNTIL_NEXT_ATTEMPT = 1;
const NEXT_WINDOW = 40;
/** Drivers asked to take over a task, the nearest first: the vehicles of some may be full. */
const ASKED = 4;

/** The person at the console: answers breakdowns and failures, and leaves everything else to the planner. */
export class Dispatcher {
  readonly #simulation: Simulation;
  readonly #client: Client;
  readonly #days: ReadonlyMap<number, DriverDay>;
  readonly #draw: Draw;

  constructor(simulation: Simulation, client: Client, days: ReadonlyMap<number, DriverDay>, draw: Draw) {
    this.#simulation = simulation;
    this.#client = client;
    this.#days = days;
    this.#draw = draw;
  }

  /** Lets vehicles break down now and then, until the signal is aborted. */
  async run(): Promise<void> {
    const { scenario, pace, signal, api } = this.#simulation;
    const { every, repair } = SCENARIOS[scenario].breakdowns;
    while (!signal.aborted) {
      await pace.wait(every * 60 * (0.5 + this.#draw(1_001) / 1_000), signal).catch(() => {});
      const busy = [...this.#days.values()].filter((day) => day.held.length > 0 && !day.isBroken);
      const day = busy[this.#draw(Math.max(1, busy.length))];
      if (signal.aborted || !day) continue;
      const minutes = repair[0] + this.#draw(repair[1] - repair[0] + 1);
      this.#simulation.tally.exceptions.breakdowns += 1;
      void day
        .breakDown(minutes, () => this.#handOver(day))
        .catch((error: unknown) => {
          if (!signal.aborted) api.note(error);
        });
    }
  }

  /** Attempts a failed task once more, or has its packages brought back. */
  async tryAgain({ id, attempt, pickupLocation }: Task): Promise<void> {
    const { pace, signal, fates, open, tally, api, shop } = this.#simulation;
    if (attempt > 1) return;
    const returnToPickup = fates.get(id)?.isReturned === true && pickupLocation !== null;
    try {
      await pace.wait(UNTIL_NEXT_ATTEMPT * 60, signal);
      const windowEnd = pace.timeOf(pace.now + NEXT_WINDOW);
      const path = { id };
      const made = await api.unlessOvertaken(
        this.#client.post('/tasks/{id}/reattempt', { path, body: { windowEnd, returnToPickup } }),
      );
      if (!made) return;
      tally.exceptions.attemptedAgain += 1;
      open.set(made.data.id, made.data.status);
      await api.unlessOvertaken(shop.post('/tasks/{id}/auto-assign', { path: { id: made.data.id } }));
    } catch (error) {
      if (!signal.aborted) api.note(error);
    }
  }

  /** Goods aboard go to another driver, from where the vehicle stands; the planner finds somebody for the rest. */
  async #handOver(day: DriverDay): Promise<void> {
    const { agentId } = day;
    const query = {
      agentId: [agentId],
      status: ['assigned', 'accepted', 'in_transit'] as Task['status'][],
      limit: 100,
    };
    const { data } = await this.#client.get('/tasks', { query });
    for (const task of data.items.filter(isAboard)) await this.#giveAway(task, day);
    const taskIds = data.items.filter((task) => !isAboard(task)).map(({ id }) => id);
    if (taskIds.length === 0) return;
    const unassigned = { action: 'unassign', taskIds, reason: 'The vehicle broke down' } as const;
    const { data: taken } = await this.#client.post('/tasks/actions', { body: unassigned });
    const free = taken.items.filter(({ status }) => status === 'done').map(({ taskId }) => taskId);
    if (free.length === 0) return;
    await this.#client.post('/tasks/actions', { body: { action: 'auto_assign', taskIds: free } });
  }

  async #giveAway({ id }: Task, from: DriverDay): Promise<void> {
    const { api, city, tally } = this.#simulation;
    const others = [...this.#days.values()]
      .filter((day) => day !== from && !day.isBroken)
      .sort((a, b) => a.held.length - b.held.length || distance(a.spot, from.spot) - distance(b.spot, from.spot))
      .slice(0, ASKED);
    const path = { id };
    const where = `The broken vehicle, ${city.addressOf(from.spot)}`;
    const pickupLocation = { address: where, ...city.toDegrees(from.spot) };
    if (!(await api.unlessOvertaken(this.#client.post('/tasks/{id}/amend', { path, body: { pickupLocation } }))))
      return;
    for (const { agentId } of others) {
      const body = { agentId, reason: 'The vehicle broke down', fromAgentId: from.agentId };
      const given = await api.unlessOvertaken(this.#client.post('/tasks/{id}/reassign', { path, body }));
      if (!given) continue;
      tally.exceptions.reassigned += 1;
      return;
    }
  }
}

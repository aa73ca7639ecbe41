import type { Draw } from '../city.ts';
import { drawOrders, type Order, taskOf } from '../orders/draw-orders.ts';
import { SCENARIOS } from '../orders/scenarios.ts';
import type { Simulation } from './simulation.ts';

/** Orders that nobody has accepted yet, for each agent: past it no more are made. */
const WAITING_PER_AGENT = 2;
const LEAST_WAITING = 20;

/** Makes the tasks of a scenario when their time comes, and leaves the rest to the planner. */
export class OrderDesk {
  readonly #simulation: Simulation;
  readonly #orders: Generator<Order, never>;
  readonly #mostWaiting: number;
  readonly #underWay = new Set<Promise<void>>();

  constructor(simulation: Simulation, ordersPerHour: number, agents: number, draw: Draw) {
    this.#simulation = simulation;
    this.#orders = drawOrders(SCENARIOS[simulation.scenario], simulation.city, ordersPerHour, draw);
    this.#mostWaiting = Math.max(LEAST_WAITING, agents * WAITING_PER_AGENT);
  }

  /** Goes on until the signal is aborted, and then until every request is answered: `open` has each task. */
  async run(): Promise<void> {
    const { pace, signal, tally, open } = this.#simulation;
    while (!signal.aborted) {
      const { value: order } = this.#orders.next();
      await pace.until(pace.msOf(order.at), signal).catch(() => {});
      if (signal.aborted) break;
      const waiting = [...open.values()].filter((status) => status !== 'accepted' && status !== 'in_transit').length;
      if (waiting + this.#underWay.size >= this.#mostWaiting) tally.tasks.heldBack += 1;
      else this.#begin(order);
    }
    await Promise.all(this.#underWay);
  }

  #begin(order: Order): void {
    const work = this.#make(order).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Never rejects: every failure is counted. */
  async #make(order: Order): Promise<void> {
    const { shop, scenario, city, pace, tally, fates, open, api, signal } = this.#simulation;
    try {
      const body = taskOf(order, scenario, city, (minutes) => pace.timeOf(minutes));
      const { data: task } = await shop.post('/tasks', { body });
      tally.tasks.created += 1;
      fates.set(task.id, order.fate);
      open.set(task.id, task.status);
      if (order.fate.cancelAfter !== undefined) void this.#callOff(task.id, order.fate.cancelAfter * 60);
    } catch (error) {
      if (!signal.aborted) api.note(error);
    }
  }

  async #callOff(id: number, seconds: number): Promise<void> {
    const { shop, pace, api, signal } = this.#simulation;
    const body = { status: 'cancelled', reason: 'The customer changed their mind' } as const;
    try {
      await pace.wait(seconds, signal);
      await api.unlessOvertaken(shop.put('/tasks/{id}/status', { path: { id }, body }));
    } catch (error) {
      if (!signal.aborted) api.note(error);
    }
  }
}

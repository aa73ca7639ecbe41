import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../gateway/client/create-client.ts';
import type { CallOf } from '../../gateway/client/document-types.ts';
import { type City, type Draw, distance, type Spot } from './city.ts';
import type { Driver } from './driver.ts';
import { goods, peopleNames } from './names.ts';
import type { SimulatorApi } from './simulator-api.ts';
import type { Tally } from './tally.ts';

export interface TaskFlowOptions {
  readonly api: SimulatorApi;
  /** The channel's key: tasks are pushed, assigned and cancelled with it. */
  readonly apiKey: string;
  readonly city: City;
  readonly drivers: readonly Driver[];
  readonly tally: Tally;
  readonly draw: Draw;
  readonly tasksPerMinute: number;
  /** The speed of the simulated time against the clock. */
  readonly timeLapse: number;
  readonly signal: AbortSignal;
  /** Filled with the tasks that have a record and no end yet. */
  readonly open: Map<number, Stage>;
}

type StatusChange = CallOf<'put', '/tasks/{id}/status'>['body'];

/** The progress of a task. */
export type Stage = 'created' | 'assigned' | 'accepted' | 'in_transit';

interface PlannedTask {
  readonly spot: Spot;
  readonly body: CallOf<'post', '/tasks'>['body'];
  /** The stage at which it is called off; most never are. */
  readonly cancelAt: Stage | undefined;
  readonly failureReason: string | undefined;
}

const STAGES: readonly Stage[] = ['created', 'assigned', 'accepted', 'in_transit'];
const TASK_TYPES = ['delivery', 'delivery', 'delivery', 'pickup', 'return', 'transfer'] as const;
const SUCCEEDED = { outcome: 'succeeded' } as const;
const FAILED = { outcome: 'failed' } as const;
const FAILURES = ['Nobody was there', 'The address does not exist', 'The recipient refused it'];
/** One task in so many. */
const CANCELLED_ONE_IN = 25;
const FAILED_ONE_IN = 15;
const CUSTOMERS = 400;
/** Until the driver has looked at the phone, and has left; at the door. Seconds. */
const PAUSES = { accept: [2, 8], leave: [3, 12], service: [20, 60] } as const;
/**
 * The time at the door, in time lapse too: an agent that stays for less has not arrived (see LIMITS.arrivalDwellMs).
 */
const LEAST_SERVICE_MS = 16_000;
const LOOK_FOR_DRIVER_MS = 250;
/** Tasks waiting for a driver for each driver; past it no more are pushed. */
const WAITING_PER_DRIVER = 1;
const LEAST_WAITING = 20;

class Cancelled extends Error {}

/** Pushes tasks and works each through to its end: by hand to the nearest free driver, who accepts, drives and completes. */
export class TaskFlow {
  readonly #options: TaskFlowOptions;
  readonly #pusher: Client;
  readonly #customers: readonly { readonly name: string; readonly phone: string }[];
  readonly #underWay = new Set<Promise<void>>();
  #waiting = 0;
  #number = 0;

  constructor(options: TaskFlowOptions) {
    this.#options = options;
    this.#pusher = options.api.as(options.apiKey);
    this.#customers = Array.from({ length: CUSTOMERS }, (_, index) => ({
      name: peopleNames(options.draw),
      phone: `+491557${String(index).padStart(8, '0')}`,
    }));
  }

  /**
   * Goes on until the signal is aborted, and then until every request in flight is answered: `open` has the stage of
   * each.
   */
  async run(): Promise<void> {
    await this.#push();
    await Promise.all(this.#underWay);
  }

  async #push(): Promise<void> {
    const { tasksPerMinute, drivers, tally, draw, signal } = this.#options;
    const most = Math.max(LEAST_WAITING, drivers.length * WAITING_PER_DRIVER);
    let dueAt = performance.now();
    while (!signal.aborted) {
      // Orders do not come by the beat.
      dueAt += (60_000 / tasksPerMinute) * (0.5 + draw(1_001) / 1_000);
      await delay(Math.max(0, dueAt - performance.now()), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      if (this.#waiting >= most) tally.tasks.heldBack += 1;
      else this.#begin(this.#plan());
    }
  }

  #begin(task: PlannedTask): void {
    const work = this.#workThrough(task).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Never rejects: every failure of a call has been counted. */
  async #workThrough(task: PlannedTask): Promise<void> {
    const { tally, signal, open } = this.#options;
    let id: number | undefined;
    let driver: Driver | undefined;
    let hasEnded = false;
    try {
      this.#waiting += 1;
      try {
        id = (await this.#pusher.post('/tasks', { body: task.body })).data.id;
        tally.tasks.created += 1;
        await this.#reach(id, task, 'created');
        driver = await this.#freeDriver(task.spot, id);
      } finally {
        this.#waiting -= 1;
      }
      await this.#deliver(id, driver, task);
      hasEnded = true;
    } catch (error) {
      if (error instanceof Cancelled) hasEnded = true;
      else if (!signal.aborted) {
        tally.tasks.lost += 1;
        // No driver would ever complete it. A second failure has been counted again.
        if (id !== undefined) await this.#cancel(id, 'The simulator has lost track of it').catch(() => {});
      }
    } finally {
      // A task that is left when the simulation ends is cancelled.
      if (id !== undefined && (hasEnded || !signal.aborted)) open.delete(id);
      if (driver) {
        driver.taskId = undefined;
        driver.traveller.release();
      }
    }
  }

  async #deliver(id: number, driver: Driver, task: PlannedTask): Promise<void> {
    const { tally } = this.#options;
    const { agentId } = driver.session;
    await this.#pusher.post('/tasks/{id}/assign', { path: { id }, body: { agentId } });
    tally.tasks.assigned += 1;
    await this.#reach(id, task, 'assigned');
    await this.#pause('accept');
    await this.#step(driver, id, { status: 'accepted' });
    await this.#reach(id, task, 'accepted');
    await this.#pause('leave');
    await this.#step(driver, id, { status: 'in_transit' });
    tally.tasks.inTransit += 1;
    await this.#reach(id, task, 'in_transit');
    await this.#drive(driver, task.spot);
    await this.#pause('service', LEAST_SERVICE_MS);
    const { failureReason } = task;
    const outcome = failureReason === undefined ? SUCCEEDED : { ...FAILED, failureReason };
    await this.#step(driver, id, { status: 'completed', ...outcome });
    tally.tasks[failureReason === undefined ? 'completed' : 'failed'] += 1;
  }

  #step(driver: Driver, id: number, body: StatusChange): Promise<unknown> {
    const { api } = this.#options;
    const call = { path: { id }, body };
    return driver.inTurn(({ accessToken }) => api.as(accessToken).put('/tasks/{id}/status', call));
  }

  /** Notes the stage; calls the task off where that is planned, and throws Cancelled then. */
  async #reach(id: number, { cancelAt }: PlannedTask, stage: Stage): Promise<void> {
    this.#options.open.set(id, stage);
    if (cancelAt !== stage) return;
    await this.#pause('leave');
    await this.#cancel(id, 'The customer changed their mind');
    this.#options.tally.tasks.cancelled += 1;
    throw new Cancelled();
  }

  #cancel(id: number, reason: string): Promise<unknown> {
    return this.#pusher.put('/tasks/{id}/status', { path: { id }, body: { status: 'cancelled', reason } });
  }

  async #freeDriver(spot: Spot, taskId: number): Promise<Driver> {
    const { drivers, signal } = this.#options;
    for (;;) {
      let nearest: Driver | undefined;
      let least = Number.POSITIVE_INFINITY;
      for (const driver of drivers) {
        if (driver.taskId !== undefined) continue;
        const metres = distance(driver.traveller.spot, spot);
        if (metres < least) [nearest, least] = [driver, metres];
      }
      if (nearest) {
        nearest.taskId = taskId;
        return nearest;
      }
      await delay(LOOK_FOR_DRIVER_MS, undefined, { signal });
    }
  }

  async #drive({ traveller }: Driver, spot: Spot): Promise<void> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      traveller.driveTo(spot, () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
    });
  }

  #pause(kind: keyof typeof PAUSES, leastMs = 0): Promise<void> {
    const { draw, timeLapse, signal } = this.#options;
    const [least, most] = PAUSES[kind];
    const ms = ((least + draw(most - least + 1)) * 1_000) / timeLapse;
    return delay(Math.max(leastMs, ms), undefined, { signal });
  }

  #plan(): PlannedTask {
    const { city, draw } = this.#options;
    const spot = city.spot(draw);
    const what = goods(draw);
    const number = ++this.#number;
    const { latitude, longitude } = city.toDegrees(spot);
    return {
      spot,
      cancelAt: draw(CANCELLED_ONE_IN) === 0 ? STAGES[draw(STAGES.length)] : undefined,
      failureReason: draw(FAILED_ONE_IN) === 0 ? FAILURES[draw(FAILURES.length)] : undefined,
      body: {
        name: `Order ${number}: ${what}`,
        taskType: TASK_TYPES[draw(TASK_TYPES.length)]!,
        customer: this.#customers[draw(CUSTOMERS)]!,
        location: { address: city.addressOf(spot), latitude, longitude },
        packages: [{ name: what, quantity: 1 + draw(3), weight: (1 + draw(50)) / 10 }],
      },
    };
  }
}

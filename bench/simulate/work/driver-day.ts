import type { Client } from '../../../gateway/client/create-client.ts';
import type { CallOf, Models } from '../../../gateway/client/document-types.ts';
import type { Degrees, Draw, Spot } from '../city.ts';
import type { Driver } from '../driver.ts';
import { type Range, SCENARIOS } from '../orders/scenarios.ts';
import { hasEnded, isAboard, type Simulation, type Task } from './simulation.ts';
import { restEndsAt, type WorkingTime } from './working-time.ts';

type StatusChange = CallOf<'put', '/tasks/{id}/status'>['body'];

/** Until the driver has looked at the phone; at the counter. Seconds. */
const LOOK: Range = [2, 8];
const FETCH: Range = [20, 60];
/** The time at the door, in time lapse too: an agent that stays for less has not arrived (see LIMITS.arrivalDwellMs). */
const LEAST_SERVICE_MS = 16_000;
const USUAL_SERVICE_MINUTES = 1;
const AFTER_FAILURE_MS = 1_000;
const DECLINED = ['Too far for me', 'My vehicle is full', 'I am about to take a break'];
const SUCCEEDED = { status: 'completed', outcome: 'succeeded' } as const;

/**
 * One driver at work, by the app's calls alone: answers offers, fetches and delivers what it has in the order of the
 * service's own predictions, and stops at once for what is taken away.
 */
export class DriverDay {
  readonly driver: Driver;
  readonly #simulation: Simulation;
  readonly #draw: Draw;
  /** Ends the present step. */
  #step = new AbortController();
  #isResting = false;
  #hasNews = false;
  #isBroken = false;
  /** The tasks of the present step, and those seen at the last look. */
  #served: readonly number[] = [];
  /** In order; none while duty alone binds it. */
  shifts: readonly WorkingTime[] = [];
  #held: readonly Task[] = [];

  constructor(driver: Driver, simulation: Simulation, draw: Draw) {
    this.driver = driver;
    this.#simulation = simulation;
    this.#draw = draw;
  }

  get agentId(): number {
    return this.driver.session.agentId;
  }

  get held(): readonly Task[] {
    return this.#held;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  get spot(): Spot {
    return this.driver.traveller.spot;
  }

  /** Works until the signal is aborted. */
  async run(): Promise<void> {
    const { signal, api, pace } = this.#simulation;
    signal.addEventListener('abort', () => this.#step.abort(), { once: true });
    while (!signal.aborted) {
      this.#step = new AbortController();
      try {
        this.#hasNews = false;
        this.#held = this.#isBroken ? [] : await this.#look();
        const next = nextOf(this.#held);
        const pausesUntil = restEndsAt(this.shifts, Date.now());
        if (pausesUntil !== undefined) await this.#pause(pausesUntil);
        else if (next) await this.#serve(next);
        else await this.#rest();
      } catch (error) {
        if (this.#step.signal.aborted) continue;
        api.note(error);
        await pace.wait(0, signal, AFTER_FAILURE_MS).catch(() => {});
      }
    }
  }

  /** Something of this agent has changed; of `task`, when it is given. */
  notice(task?: Task): void {
    this.#hasNews = true;
    const isGone = task && (hasEnded(task) || task.agentId !== this.agentId);
    if (this.#isResting || (isGone && this.#served.includes(task.id))) this.#step.abort();
  }

  /** Answers an offer, or lets it run out. */
  async offer({ id }: Models['AssignmentRequest']): Promise<void> {
    const { api, scenario, pace, signal } = this.#simulation;
    const { declinedOneIn, ignoredOneIn } = SCENARIOS[scenario];
    const isIgnored = this.#draw(ignoredOneIn) === 0;
    const reason = this.#draw(declinedOneIn) === 0 ? DECLINED[this.#draw(DECLINED.length)]! : undefined;
    try {
      await pace.wait(this.#between(LOOK), signal);
      if (isIgnored || this.#isBroken) return;
      const path = { id };
      const answer = await this.#call((app) =>
        reason === undefined
          ? app.post('/assignment-requests/{id}/accept', { path })
          : app.post('/assignment-requests/{id}/reject', { path, body: { reason } }),
      );
      if (answer && reason === undefined) this.notice();
    } catch (error) {
      if (!signal.aborted) api.note(error);
    }
  }

  /** Stands still, off duty, for `minutes`. `handOver` gives its tasks to others first. */
  async breakDown(minutes: number, handOver: () => Promise<void>): Promise<void> {
    const { pace, signal } = this.#simulation;
    this.#isBroken = true;
    this.#step.abort();
    this.driver.traveller.driveTo(this.spot, () => {});
    try {
      await this.setDuty(false);
      await handOver();
      await pace.wait(minutes * 60, signal);
      await this.setDuty(true);
    } finally {
      this.#isBroken = false;
      this.driver.traveller.release();
      this.notice();
    }
  }

  async setDuty(onDuty: boolean, api = this.#simulation.api): Promise<void> {
    const { accessToken } = this.driver.session;
    await api.as(accessToken).put('/agents/{id}/duty', { path: { id: 'me' }, body: { onDuty } });
    this.#simulation.tally.onDuty += onDuty ? 1 : -1;
  }

  /** The tasks that it has, after it has accepted those that it was given by hand. */
  async #look(): Promise<Task[]> {
    const { api } = this.#simulation;
    const query = { status: ['assigned', 'accepted', 'in_transit'] as ('assigned' | 'accepted')[], limit: 100 };
    const { data } = await this.driver.inTurn(({ accessToken }) =>
      api.as(accessToken).get('/agents/{id}/tasks', { path: { id: 'me' }, query }),
    );
    const held: Task[] = [];
    for (const task of data.items) {
      // An open offer: it is answered by itself.
      if (task.status === 'assigned' && task.autoAssignmentStatus === 'offered') continue;
      if (task.status !== 'assigned') held.push(task);
      else if (await this.#change(task.id, { status: 'accepted' })) held.push({ ...task, status: 'accepted' });
    }
    return held;
  }

  async #rest(): Promise<void> {
    this.driver.traveller.release();
    if (this.#hasNews) return;
    this.#isResting = true;
    const { signal } = this.#step;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.#isResting = false;
  }

  /** Stands still, on a break or between two shifts; what it has waits. */
  async #pause(untilMs: number): Promise<void> {
    this.driver.traveller.driveTo(this.spot, () => {});
    await this.#simulation.pace.until(untilMs, this.#step.signal);
    this.driver.traveller.release();
  }

  async #serve(task: Task): Promise<void> {
    if (!isAboard(task) && task.pickupLocation) return this.#fetch(task.pickupLocation);
    this.#served = [task.id];
    if (task.status !== 'in_transit' && !(await this.#change(task.id, { status: 'in_transit' }))) return;
    await this.#deliver(task);
  }

  /** Fetches everything that waits at one place. */
  async #fetch(place: Models['Location']): Promise<void> {
    const { pace } = this.#simulation;
    const { signal } = this.#step;
    const together = this.#held.filter(
      (each) => !isAboard(each) && each.pickupLocation && isSamePlace(each.pickupLocation, place),
    );
    this.#served = together.map(({ id }) => id);
    await this.#drive(place);
    const readyAt = together.map((each) => (each.readyAt === null ? 0 : Date.parse(each.readyAt)));
    await pace.until(Math.max(...readyAt), signal);
    await pace.wait(this.#between(FETCH), signal);
    for (const { id } of together) await this.#call((app) => app.post('/tasks/{id}/picked-up', { path: { id } }));
  }

  async #deliver(task: Task): Promise<void> {
    const { pace, fates } = this.#simulation;
    const { signal } = this.#step;
    const { location, windowStart, estimatedDuration } = task;
    if (location) await this.#drive(location);
    if (windowStart !== null) await pace.until(Date.parse(windowStart), signal);
    await pace.wait((estimatedDuration ?? USUAL_SERVICE_MINUTES) * 60, signal, LEAST_SERVICE_MS);
    const failureReason = fates.get(task.id)?.failureReason;
    const failed = { status: 'completed', outcome: 'failed' } as const;
    await this.#change(task.id, failureReason === undefined ? SUCCEEDED : { ...failed, failureReason });
    this.#served = [];
  }

  async #drive(place: Models['Location']): Promise<void> {
    const spot = this.#simulation.city.spotAt(degreesOf(place));
    // A place in another city, which a person gave it: as good as there.
    if (!spot) return;
    const { signal } = this.#step;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.driver.traveller.driveTo(spot, () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
    });
  }

  /** Resolves to whether the step was made: a task may be called off, or another's, by now. */
  #change(id: number, body: StatusChange): Promise<boolean> {
    return this.#call((app) => app.put('/tasks/{id}/status', { path: { id }, body }));
  }

  async #call(step: (app: Client) => Promise<unknown>): Promise<boolean> {
    const { api } = this.#simulation;
    const turn = this.driver.inTurn(({ accessToken }) => step(api.as(accessToken)));
    return (await api.unlessOvertaken(turn)) !== undefined;
  }

  #between([least, most]: Range): number {
    return least + this.#draw(most - least + 1);
  }
}

/** The task whose stop comes next by the predictions of the service. */
function nextOf(tasks: readonly Task[]): Task | undefined {
  const expectedAt = (task: Task) =>
    Date.parse((isAboard(task) ? task.etaAt : task.pickupEtaAt) ?? task.etaAt ?? task.assignedAt ?? '') || 0;
  return [...tasks].sort((a, b) => expectedAt(a) - expectedAt(b) || a.id - b.id)[0];
}

function degreesOf({ latitude, longitude }: Models['Location']): Degrees {
  return { latitude: Number(latitude), longitude: Number(longitude) };
}

function isSamePlace(one: Models['Location'], other: Models['Location']): boolean {
  return one.latitude === other.latitude && one.longitude === other.longitude;
}

import type { Client } from '../../../gateway/client/create-client.ts';
import type { DispatchEvent, Models } from '../../../gateway/client/document-types.ts';
import type { DriverDay } from './driver-day.ts';
import { hasEnded, isSimulated, openTasks, type Simulation, type Task } from './simulation.ts';

const TYPES = [
  'task.created',
  'task.updated',
  'task.status_changed',
  'task.picked_up',
  'assignment_request.created',
  'assignment_request.accepted',
  'assignment_request.rejected',
  'assignment_request.expired',
] as const satisfies readonly DispatchEvent['type'][];

/**
 * One stream for the apps of all drivers, as a device gateway would have it: tells each driver its offers and changes,
 * and counts how tasks end.
 */
export class FleetFeed {
  readonly #simulation: Simulation;
  readonly #days: ReadonlyMap<number, DriverDay>;
  readonly #onFailed: (task: Task) => void;
  /** The agent of each task that has one. */
  readonly #agents = new Map<number, number>();
  readonly #offered = new Set<number>();
  #following: Promise<void> = Promise.resolve();

  constructor(simulation: Simulation, days: ReadonlyMap<number, DriverDay>, onFailed: (task: Task) => void) {
    this.#simulation = simulation;
    this.#days = days;
    this.#onFailed = onFailed;
  }

  /** Resolves when nothing is missed any more. `client` has a `fetch` for streams. */
  async start(client: Client): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#following = this.#follow(client, resolve);
      this.#following.catch(reject);
    });
    await this.#catchUp();
  }

  /** Resolves when the signal is aborted; rejects when the stream is refused. */
  get following(): Promise<void> {
    return this.#following;
  }

  async #follow(client: Client, onReady: () => void): Promise<void> {
    const { tally, signal } = this.#simulation;
    for await (const message of client.follow({ types: TYPES, signal })) {
      if (message.type === 'stream.ready') onReady();
      else if (message.type === 'stream.lost') tally.reconnects += 1;
      else if (message.type === 'stream.resync') await this.#catchUp();
      else this.#onEvent(message);
    }
    onReady();
  }

  /** Takes up what was left by an earlier run, or was missed. */
  async #catchUp(): Promise<void> {
    const { shop, open } = this.#simulation;
    for await (const task of openTasks(this.#simulation)) {
      if (task.agentId !== null) this.#agents.set(task.id, task.agentId);
      if (isSimulated(task)) open.set(task.id, task.status);
    }
    for await (const request of shop.items('/assignment-requests', { query: { status: ['pending'], limit: 100 } }))
      this.#offer(request);
    for (const day of this.#days.values()) day.notice();
  }

  #onEvent(event: DispatchEvent): void {
    const { offers } = this.#simulation.tally;
    switch (event.type) {
      case 'assignment_request.created':
        return this.#offer(event.data.assignmentRequest);
      case 'assignment_request.accepted':
        offers.accepted += this.#countOf(event.data.assignmentRequest);
        return;
      case 'assignment_request.rejected':
        offers.declined += this.#countOf(event.data.assignmentRequest);
        return;
      case 'assignment_request.expired':
        offers.expired += this.#countOf(event.data.assignmentRequest);
        return;
      case 'task.status_changed':
        this.#count(event.data.task, event.data.status);
        return this.#onTask(event.data.task);
      case 'task.picked_up':
        if (isSimulated(event.data.task)) this.#simulation.tally.tasks.pickedUp += 1;
        return this.#onTask(event.data.task);
      case 'task.created':
      case 'task.updated':
        return this.#onTask(event.data.task);
    }
  }

  #countOf({ agentId }: Models['AssignmentRequest']): number {
    return this.#days.has(agentId) ? 1 : 0;
  }

  #offer(request: Models['AssignmentRequest']): void {
    const day = this.#days.get(request.agentId);
    if (!day || this.#offered.has(request.id)) return;
    this.#offered.add(request.id);
    this.#simulation.tally.offers.made += 1;
    void day.offer(request);
  }

  #onTask(task: Task): void {
    const { open, fates } = this.#simulation;
    const before = this.#agents.get(task.id);
    if (task.agentId === null || hasEnded(task)) this.#agents.delete(task.id);
    else this.#agents.set(task.id, task.agentId);
    for (const agentId of new Set([before, task.agentId]))
      if (agentId !== undefined && agentId !== null) this.#days.get(agentId)?.notice(task);
    if (!isSimulated(task)) return;
    if (!hasEnded(task)) open.set(task.id, task.status);
    else {
      open.delete(task.id);
      fates.delete(task.id);
    }
  }

  #count(task: Task, status: Task['status']): void {
    const { tasks } = this.#simulation.tally;
    if (!isSimulated(task)) return;
    if (status === 'in_transit') tasks.inTransit += 1;
    if (status === 'cancelled') tasks.cancelled += 1;
    if (status !== 'completed') return;
    if (task.outcome === 'failed') {
      tasks.failed += 1;
      this.#onFailed(task);
    } else if (task.isDelayed) tasks.late += 1;
    else tasks.onTime += 1;
  }
}

import { HttpPool, type PooledRequest } from '../load/http-pool.ts';
import { LatencyHistogram } from '../load/latency-histogram.ts';
import { ordersFor } from '../scenarios/orders.ts';

/** Requests of a life, by kind. */
export const KINDS = ['create', 'read', 'list', 'step', 'locations'] as const;
export type Kind = (typeof KINDS)[number];

interface Callers {
  /** An integration's key, which may write positions. */
  readonly apiKey: string;
  /** The access token of each dispatcher, renewed before it expires. */
  readonly dispatcherTokens: readonly (() => Promise<string>)[];
  readonly agentIds: readonly number[];
}

/** Every so many lives look at a list. */
const LIST_EVERY = 4;
const CONNECTIONS = 64;
const ORDERS = 4_096;

/** Lets tasks live. Each request is timed; one that is refused or fails rejects the life. */
export class TaskLives {
  readonly #pool: HttpPool;
  readonly #callers: Callers;
  readonly #orders = ordersFor({ connection: 0, connections: 1, seed: 7 }, ORDERS);
  #number = 0;
  #times = newTimes();
  ended = 0;

  constructor(baseUrl: string, callers: Callers) {
    this.#pool = new HttpPool(new URL(baseUrl), CONNECTIONS);
    this.#callers = callers;
  }

  /** The times since the last call. */
  takeTimes(): Readonly<Record<Kind | 'all', LatencyHistogram>> {
    const taken = this.#times;
    this.#times = newTimes();
    return taken;
  }

  async live(): Promise<void> {
    const { agentIds } = this.#callers;
    const number = this.#number++;
    const agentId = agentIds[number % agentIds.length]!;
    const order = this.#orders[number % ORDERS]!;
    const created = await this.#byKey('create', 'POST', '/tasks', order.body);
    const { id } = (JSON.parse(created) as { data: { id: number } }).data;
    await this.#byKey('read', 'GET', `/tasks/${id}`);
    await this.#byKey('step', 'POST', `/tasks/${id}/assign`, JSON.stringify({ agentId }));
    await this.#step(id, 'accepted');
    if (number % LIST_EVERY === 0)
      await this.#byKey('list', 'GET', `/tasks?agentId=${agentId}&status=accepted,in_transit`);
    await this.#step(id, 'in_transit');
    await this.#byKey('locations', 'POST', '/agents/locations', JSON.stringify({ points: this.#points(number) }));
    await this.#byKey('read', 'GET', `/tasks/${id}`);
    await this.#step(id, 'completed');
    this.ended += 1;
  }

  close(): void {
    this.#pool.close();
  }

  async #step(id: number, status: string): Promise<void> {
    const { dispatcherTokens } = this.#callers;
    const token = await dispatcherTokens[id % dispatcherTokens.length]!();
    const path = `/api/v1/tasks/${id}/status`;
    const headers = { authorization: `Bearer ${token}` };
    await this.#ask('step', { method: 'PUT', path, headers, body: JSON.stringify({ status }) });
  }

  #byKey(kind: Kind, method: string, path: string, body?: string): Promise<string> {
    const headers = { 'x-api-key': this.#callers.apiKey };
    return this.#ask(kind, { method, path: `/api/v1${path}`, headers, ...(body === undefined ? {} : { body }) });
  }

  async #ask(kind: Kind, request: PooledRequest): Promise<string> {
    const startedAt = performance.now();
    const { status, body } = await this.#pool.ask(request);
    const ms = performance.now() - startedAt;
    if (status < 200 || status >= 300) throw new Error(`${request.method} ${request.path} answered ${status}: ${body}`);
    this.#times[kind].add(ms);
    this.#times.all.add(ms);
    return body;
  }

  /** Points of ten agents, a few metres further each time. */
  #points(number: number) {
    const { agentIds } = this.#callers;
    const recordedAt = new Date().toISOString();
    return Array.from({ length: Math.min(10, agentIds.length) }, (_, index) => {
      const agent = (number + index) % agentIds.length;
      const latitude = 51 + (agent * 100 + (number % 100)) / 100_000;
      return { agentId: agentIds[agent]!, latitude, longitude: 6.5, recordedAt };
    });
  }
}

function newTimes(): Record<Kind | 'all', LatencyHistogram> {
  const names = [...KINDS, 'all'] as const;
  return Object.fromEntries(names.map((name) => [name, new LatencyHistogram()])) as Record<
    Kind | 'all',
    LatencyHistogram
  >;
}

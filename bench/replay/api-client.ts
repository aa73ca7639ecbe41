import type { TaskView } from '../../schema/tasks/task-view.ts';
import { UsageError } from '../stand/run-to-end.ts';

export interface ApiTarget {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface EventView {
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly task: TaskView };
}

interface Success<T> {
  readonly data: T;
  readonly metadata: { readonly position?: string };
}

export interface Posted {
  readonly task: TaskView;
  readonly latencyMs: number;
  /** Attempts after the first; the key makes them one and the same order. */
  readonly retries: number;
}

export const PAGE_TASKS = 100;
const PAGE_EVENTS = 1_000;
const MOST_ATTEMPTS = 5;
const RETRY_MS = 500;
const PATIENCE_MS = 20_000;

/** The API as an integrator uses it. Everything that is not the expected status is thrown with its body. */
export class ApiClient {
  readonly #target: ApiTarget;
  readonly #signal: AbortSignal;

  constructor(target: ApiTarget, signal: AbortSignal) {
    this.#target = target;
    this.#signal = signal;
  }

  /** Posts until there is an answer: lost connections and 503 are tried again with the same key. */
  async createTask(body: unknown, idempotencyKey: string): Promise<Posted> {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'idempotency-key': idempotencyKey } };
    for (let retries = 0; ; retries++) {
      try {
        const startedAt = performance.now();
        const { data } = await this.#ask<TaskView>('/tasks', 201, init);
        return { task: data, latencyMs: performance.now() - startedAt, retries };
      } catch (error) {
        const passes = !(error instanceof UnexpectedStatus) || error.status === 503;
        if (!passes || this.#signal.aborted || retries + 1 === MOST_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Undefined when there is no such task. */
  async findTask(id: number): Promise<TaskView | undefined> {
    try {
      return (await this.#ask<TaskView>(`/tasks/${id}`, 200)).data;
    } catch (error) {
      if (error instanceof UnexpectedStatus && error.status === 404) return undefined;
      throw error;
    }
  }

  /** One page of all tasks, oldest first. */
  async listTasks(page: number): Promise<readonly TaskView[]> {
    const query = `sortBy=createdAt&sortOrder=ASC&limit=${PAGE_TASKS}&page=${page}`;
    return (await this.#ask<{ items: TaskView[] }>(`/tasks?${query}`, 200)).data.items;
  }

  async eventsAfter(after: number): Promise<{ readonly items: readonly EventView[]; readonly nextAfter: number }> {
    return (
      await this.#ask<{ items: EventView[]; nextAfter: number }>(`/events?after=${after}&limit=${PAGE_EVENTS}`, 200)
    ).data;
  }

  /** Sequence of the newest event. */
  async lastSequence(): Promise<number> {
    const { metadata } = await this.#ask('/tasks?limit=1', 200);
    return Number(metadata.position?.split('-').at(-1) ?? 0);
  }

  async #ask<T>(
    path: string,
    status: number,
    init: RequestInit & { headers?: Record<string, string> } = {},
  ): Promise<Success<T>> {
    const { baseUrl, apiKey } = this.#target;
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', ...init.headers };
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(PATIENCE_MS)]);
    const response = await fetch(`${baseUrl}/api/v1${path}`, { ...init, headers, signal });
    const text = await response.text();
    if (response.status !== status)
      throw new UnexpectedStatus(response.status, `${init.method ?? 'GET'} ${path}`, text);
    return JSON.parse(text) as Success<T>;
  }
}

class UnexpectedStatus extends UsageError {
  readonly status: number;

  constructor(status: number, what: string, body: string) {
    super(`${what} was answered with ${status}: ${body.slice(0, 500)}`);
    this.status = status;
  }
}

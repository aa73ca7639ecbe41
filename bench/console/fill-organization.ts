import { HttpPool } from '../load/http-pool.ts';
import { taskTo } from '../locations/give-tasks.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';

const BATCH = 100;
const CONNECTIONS = 8;
/** Every other task has an agent. */
const ASSIGNED_SHARE = 0.5;

interface Answer<T> {
  readonly data: T;
}
interface BatchData {
  readonly items: readonly { readonly task?: { readonly id: number } }[];
}

/** Calls of an integration, which throws for everything but success. */
export class Integration {
  readonly #pool: HttpPool;
  readonly #apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    this.#pool = new HttpPool(new URL(baseUrl), CONNECTIONS);
    this.#apiKey = apiKey;
  }

  async post<T>(path: string, body: object): Promise<T> {
    const headers = { 'x-api-key': this.#apiKey };
    const request = { method: 'POST', path: `/api/v1${path}`, headers, body: JSON.stringify(body) };
    const answer = await this.#pool.ask(request);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.body.slice(0, 500)}`);
    return (JSON.parse(answer.body) as Answer<T>).data;
  }

  close(): void {
    this.#pool.close();
  }
}

/** Creates open tasks in the agents' town, and gives every other one to an agent. */
export async function fillOrganization(
  integration: Integration,
  agentIds: readonly number[],
  tasks: number,
  signal: AbortSignal,
): Promise<void> {
  const draw = seededNumbers(tasks);
  const ids: number[] = [];
  await inTurn(Math.ceil(tasks / BATCH), signal, async (batch) => {
    const items = Array.from({ length: Math.min(BATCH, tasks - batch * BATCH) }, () => taskTo(draw));
    const { items: made } = await integration.post<BatchData>('/tasks/batch', { tasks: items });
    for (const { task } of made) {
      if (!task) throw new Error('a task of a batch was not created');
      ids.push(task.id);
    }
  });
  const given = Math.floor(tasks * ASSIGNED_SHARE);
  const each = Math.ceil(given / agentIds.length);
  await inTurn(Math.ceil(given / each), signal, async (turn) => {
    const taskIds = ids.slice(turn * each, Math.min(given, (turn + 1) * each));
    await integration.post('/tasks/actions', { action: 'assign', agentId: agentIds[turn]!, taskIds });
  });
}

async function inTurn(count: number, signal: AbortSignal, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const line = async () => {
    for (let index = next++; index < count; index = next++) {
      signal.throwIfAborted();
      await run(index);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, line));
}

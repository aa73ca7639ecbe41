import { setTimeout as delay } from 'node:timers/promises';
import { HttpPool } from '../load/http-pool.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';
import { UsageError } from '../stand/run-to-end.ts';

const CONNECTIONS = 16;
const LIMITED_MS = 500;

interface Login {
  readonly email: string;
  readonly password: string;
}

/** Gives each agent so many open tasks, as a dispatcher, in the town of its positions; the first is on its way. */
export async function giveTasks(
  baseUrl: string,
  dispatcher: Login,
  agentIds: readonly number[],
  tasksPerAgent: number,
): Promise<void> {
  const pool = new HttpPool(new URL(baseUrl), CONNECTIONS);
  const draw = seededNumbers(tasksPerAgent);
  const ask = async (method: string, path: string, body: object, headers = {}): Promise<string> => {
    const request = { method, path: `/api/v1${path}`, headers, body: JSON.stringify(body) };
    const answer = await pool.ask(request);
    if (answer.status < 300) return answer.body;
    if (answer.status === 429) {
      // A user has a limit, which the demo's key has not.
      await delay(LIMITED_MS);
      return ask(method, path, body, headers);
    }
    throw new UsageError(`${method} ${path} was answered with ${answer.status}: ${answer.body.slice(0, 500)}`);
  };
  const give = async (agentId: number, isFirst: boolean, headers: object): Promise<void> => {
    const made = await ask('POST', '/tasks', taskTo(draw), headers);
    const { id } = (JSON.parse(made) as { data: { id: number } }).data;
    await ask('POST', `/tasks/${id}/assign`, { agentId }, headers);
    if (!isFirst) return;
    for (const status of ['accepted', 'in_transit']) await ask('PUT', `/tasks/${id}/status`, { status }, headers);
  };
  const left = [...agentIds];
  const giver = async (headers: object) => {
    for (let agentId = left.pop(); agentId !== undefined; agentId = left.pop())
      for (let task = 0; task < tasksPerAgent; task++) await give(agentId, task === 0, headers);
  };
  try {
    const { email, password } = dispatcher;
    const signedIn = JSON.parse(await ask('POST', '/auth/login', { email, password })) as SignedIn;
    const headers = { authorization: `Bearer ${signedIn.data.accessToken}` };
    await Promise.all(Array.from({ length: CONNECTIONS }, () => giver(headers)));
  } finally {
    pool.close();
  }
}

interface SignedIn {
  readonly data: { readonly accessToken: string };
}

/** A task in the town of the agents' positions. */
export function taskTo(draw: (bound: number) => number): object {
  const [latitude, longitude] = [(52_400_000 + draw(200_000)) / 1e6, (13_300_000 + draw(200_000)) / 1e6];
  return {
    name: 'Order',
    taskType: 'delivery',
    customer: { name: 'Ada Lovelace', phone: '+442079460958' },
    location: { address: 'Main Street', latitude, longitude },
    packages: [{ name: 'Books', quantity: 1 }],
  };
}

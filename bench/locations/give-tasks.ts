import { HttpPool } from '../load/http-pool.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';
import { UsageError } from '../stand/run-to-end.ts';

const CONNECTIONS = 16;

/** Gives each agent so many open tasks, in the town of its positions; the first of them is on its way. */
export async function giveTasks(
  baseUrl: string,
  apiKey: string,
  agentIds: readonly number[],
  tasksPerAgent: number,
): Promise<void> {
  const pool = new HttpPool(new URL(baseUrl), CONNECTIONS);
  const draw = seededNumbers(tasksPerAgent);
  const ask = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await pool.ask({
      method,
      path: `/api/v1${path}`,
      headers: { 'x-api-key': apiKey },
      body: JSON.stringify(body),
    });
    if (answer.status < 300) return answer.body;
    throw new UsageError(`${method} ${path} was answered with ${answer.status}: ${answer.body.slice(0, 500)}`);
  };
  const give = async (agentId: number, isFirst: boolean): Promise<void> => {
    const { data } = JSON.parse(await ask('POST', '/tasks', taskTo(draw))) as { data: { id: number } };
    await ask('POST', `/tasks/${data.id}/assign`, { agentId });
    if (!isFirst) return;
    for (const status of ['accepted', 'in_transit']) await ask('PUT', `/tasks/${data.id}/status`, { status });
  };
  const left = [...agentIds];
  const giver = async () => {
    for (let agentId = left.pop(); agentId !== undefined; agentId = left.pop())
      for (let task = 0; task < tasksPerAgent; task++) await give(agentId, task === 0);
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, giver));
  } finally {
    pool.close();
  }
}

function taskTo(draw: (bound: number) => number): object {
  const [latitude, longitude] = [(52_400_000 + draw(200_000)) / 1e6, (13_300_000 + draw(200_000)) / 1e6];
  return {
    name: 'Order',
    taskType: 'delivery',
    customer: { name: 'Ada Lovelace', phone: '+442079460958' },
    location: { address: 'Main Street', latitude, longitude },
    packages: [{ name: 'Books', quantity: 1 }],
  };
}

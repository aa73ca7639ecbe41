import { HttpPool } from '../load/http-pool.ts';
import { createBatch } from '../scenarios/create-batch.ts';

const BATCH = 100;
const CONNECTIONS = 4;

/** Creates open tasks, by batches. Throws when one is not created. */
export async function openTasks(baseUrl: string, apiKey: string, tasks: number): Promise<void> {
  const pool = new HttpPool(new URL(baseUrl), CONNECTIONS);
  let left = tasks;
  const sender = async (_: unknown, connection: number) => {
    for (let seed = 0; left > 0; seed++) {
      const items = Math.min(BATCH, left);
      left -= items;
      const load = createBatch(items);
      const [request] = load.requestsFor({ connection, connections: CONNECTIONS, seed });
      const { method, path, body } = request!;
      const answer = await pool.ask({ method, path, headers: { 'x-api-key': apiKey }, body: body! });
      if (answer.status !== load.expectedStatus || !load.isAnswer(answer.body))
        throw new Error(`a batch answered ${answer.status}: ${answer.body.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  pool.close();
}

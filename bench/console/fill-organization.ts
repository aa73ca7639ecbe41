import type { Client } from '../../gateway/client/create-client.ts';
import { taskTo } from '../locations/give-tasks.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';

const BATCH = 100;
const CONNECTIONS = 8;
/** Every other task has an agent. */
const ASSIGNED_SHARE = 0.5;

/** Creates open tasks in the agents' town, and gives every other one to an agent. */
export async function fillOrganization(
  integration: Client,
  agentIds: readonly number[],
  tasks: number,
  signal: AbortSignal,
): Promise<void> {
  const draw = seededNumbers(tasks);
  const ids: number[] = [];
  await inTurn(Math.ceil(tasks / BATCH), signal, async (batch) => {
    const items = Array.from({ length: Math.min(BATCH, tasks - batch * BATCH) }, () => taskTo(draw));
    const { data } = await integration.post('/tasks/batch', { body: { tasks: items } });
    for (const item of data.items) {
      if (item.status !== 'created') throw new Error('a task of a batch was not created');
      ids.push(item.task.id);
    }
  });
  const given = Math.floor(tasks * ASSIGNED_SHARE);
  const each = Math.ceil(given / agentIds.length);
  await inTurn(Math.ceil(given / each), signal, async (turn) => {
    const taskIds = ids.slice(turn * each, Math.min(given, (turn + 1) * each));
    await integration.post('/tasks/actions', { body: { action: 'assign', agentId: agentIds[turn]!, taskIds } });
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

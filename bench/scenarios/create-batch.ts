import { ordersFor } from './orders.ts';
import type { Load } from './scenario.ts';

/** Different tasks of one connection, about. */
const TASKS_PER_CONNECTION = 800;
const CREATED = '"status":"created","task":{"id":';

/** POST /tasks/batch with `items` tasks, each of which must be created. */
export function createBatch(items: number): Load {
  return {
    name: 'create-batch',
    expectedStatus: 200,
    tasksPerRequest: items,
    isAnswer: (answer) => answer.includes(`"created":${items},"failed":0`) && occurrences(answer, CREATED) === items,
    requestsFor(seat) {
      const batches = Math.ceil(TASKS_PER_CONNECTION / items);
      const orders = ordersFor(seat, batches * items);
      return Array.from({ length: batches }, (_, index) => {
        const batch = orders.slice(index * items, (index + 1) * items);
        return {
          method: 'POST',
          path: '/api/v1/tasks/batch',
          body: `{"tasks":[${batch.map(({ body }) => body).join(',')}]}`,
          stamps: batch.flatMap(({ stamps }) => stamps),
        };
      });
    },
  };
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

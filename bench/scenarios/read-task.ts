import type { Load } from './scenario.ts';
import { seededNumbers } from './seeded-numbers.ts';

/** Tasks that a gateway surely keeps in memory. */
export const TASKS_IN_MEMORY = 100_000;
/** The tasks of the organization that is read, by default. Their ids all have the same number of digits. */
export const TASKS_IN_ALL = 1_000_000;
const [FIRST, BOUND] = [10_000_000, 100_000_000];

/** Where ids begin: a stamp must always have the same length. */
export const ID_BEFORE_FIRST = FIRST;

/** GET /tasks/:id of a random one among `tasks`. `seed` of the seat is the id of the first one. */
function readTask(name: string, tasks: number): Load {
  return {
    name,
    expectedStatus: 200,
    tasksPerRequest: 1,
    isAnswer: (answer) => /"data":\{"id":[1-9]/.test(answer),
    requestsFor({ seed, connection }) {
      if (seed < FIRST || seed + tasks > BOUND) throw new Error(`task ids from ${seed} on differ in length`);
      const draw = seededNumbers(seed + connection);
      const text = String(seed);
      const next = () => String(seed + draw(tasks));
      return [{ method: 'GET', path: `/api/v1/tasks/${text}`, stamps: [{ text, next }] }];
    },
  };
}

export const readHot = readTask('read-hot', 1);
export const readInMemory = readTask('read-in-memory', TASKS_IN_MEMORY);
export const readAll = readTask('read-all', TASKS_IN_ALL);
export const READS: readonly Load[] = [readHot, readInMemory, readAll];

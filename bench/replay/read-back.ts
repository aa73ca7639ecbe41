import type { TaskView } from '../../schema/tasks/task-view.ts';
import { type ApiClient, PAGE_TASKS } from './api-client.ts';
import { findDifferences } from './find-differences.ts';
import type { PlacedOrder } from './place-orders.ts';

/** The placed orders as one way of reading shows them. */
export interface Finding {
  readonly source: 'by id' | 'list' | 'events';
  readonly equal: number;
  /** The faults, one sentence each; empty when there are none. */
  readonly problems: readonly string[];
  readonly remark: string;
}

const READS_AT_A_TIME = 16;

/** Reads everything back in the three ways there are, and compares each with the posted body and the answer. */
export async function readBack(
  api: ApiClient,
  placed: readonly PlacedOrder[],
  sequenceBefore: number,
): Promise<Finding[]> {
  return [await readById(api, placed), await readList(api, placed), await readEvents(api, placed, sequenceBefore)];
}

async function readById(api: ApiClient, placed: readonly PlacedOrder[]): Promise<Finding> {
  const found = new Map<number, TaskView[]>();
  const waiting = [...placed];
  const reader = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const task = await api.findTask(next.task.id);
      if (task) found.set(next.task.id, [task]);
    }
  };
  await Promise.all(Array.from({ length: READS_AT_A_TIME }, reader));
  const ids = new Set(placed.map(({ task }) => task.id)).size;
  return { source: 'by id', ...compareAll(placed, found), remark: `${ids} different ids` };
}

async function readList(api: ApiClient, placed: readonly PlacedOrder[]): Promise<Finding> {
  const found = new Map<number, TaskView[]>();
  let [pages, total] = [0, 0];
  for (let isLast = false; !isLast; ) {
    const items = await api.listTasks(++pages);
    for (const task of items) addTo(found, task);
    total += items.length;
    isLast = items.length < PAGE_TASKS;
  }
  const others = total - placed.length;
  return { source: 'list', ...compareAll(placed, found), remark: `${pages} pages, ${others} tasks besides ours` };
}

async function readEvents(api: ApiClient, placed: readonly PlacedOrder[], sequenceBefore: number): Promise<Finding> {
  const found = new Map<number, TaskView[]>();
  const createdIds: number[] = [];
  const problems: string[] = [];
  let last = sequenceBefore;
  for (let after = sequenceBefore; ; ) {
    const { items, nextAfter } = await api.eventsAfter(after);
    for (const { sequence, type, data } of items) {
      if (sequence !== last + 1) problems.push(`event ${sequence} follows event ${last}`);
      last = sequence;
      if (type !== 'task.created') continue;
      addTo(found, data.task);
      createdIds.push(data.task.id);
    }
    if (items.length === 0) break;
    after = nextAfter;
  }
  const ours = new Set(placed.map(({ task }) => task.id));
  const inLog = createdIds.filter((id) => ours.has(id));
  const outOfOrder = placed.findIndex(({ task }, index) => task.id !== inLog[index]);
  if (outOfOrder >= 0) {
    const { wanted } = placed[outOfOrder]!;
    problems.push(`from order ${wanted.order.id} on, task.created events are not in the order of placement`);
  }
  const compared = compareAll(placed, found);
  const remark = `sequences ${sequenceBefore + 1} to ${last}, in the order of placement: ${outOfOrder < 0 ? 'yes' : 'no'}`;
  return { source: 'events', equal: compared.equal, problems: [...problems, ...compared.problems], remark };
}

function addTo(found: Map<number, TaskView[]>, task: TaskView): void {
  const seen = found.get(task.id);
  if (seen) seen.push(task);
  else found.set(task.id, [task]);
}

/** Every order exactly once, with the posted fields and those of the first answer. */
function compareAll(placed: readonly PlacedOrder[], found: ReadonlyMap<number, readonly TaskView[]>) {
  const problems: string[] = [];
  let equal = 0;
  for (const { task, wanted } of placed) {
    const seen = found.get(task.id) ?? [];
    const wrong =
      seen.length === 1
        ? [...findDifferences(wanted.expected, seen[0]), ...findDifferences(task, seen[0])]
        : [seen.length === 0 ? 'missing' : `there ${seen.length} times`];
    if (wrong.length === 0) equal += 1;
    else problems.push(`order ${wanted.order.id} (task ${task.id}): ${[...new Set(wrong)].join('; ')}`);
  }
  return { equal, problems };
}

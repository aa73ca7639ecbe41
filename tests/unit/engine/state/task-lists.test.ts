import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FilterCounts } from '../../../../engine/org/lists/filter-counts.ts';
import { TaskLists } from '../../../../engine/org/lists/task-lists.ts';
import { TaskTexts } from '../../../../engine/org/lists/task-texts.ts';
import { systemScheduler } from '../../../../engine/runtime/clock.ts';
import { createLog } from '../../../../engine/runtime/log.ts';
import type { Sql } from '../../../../engine/store/postgres.ts';
import type { InTurn } from '../../../../engine/store/task-lists/task-list-store.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { ListTasksQuery } from '../../../../schema/tasks/list-tasks.ts';
import type { TaskFilter } from '../../../../schema/tasks/task-filter.ts';

const ORGANIZATION = 7;

/** A Postgres in which `matching` tasks match every question. It shows none of them. */
function storeWith(matching: number): Sql {
  const row = [1, matching, null];
  const values = () => ({ forEach: async (take: (row: unknown[]) => void) => take(row) });
  return { unsafe: () => ({ values }) } as unknown as Sql;
}

function listsOf(matching: number, counts: FilterCounts, inTurn?: InTurn): TaskLists {
  const sql = storeWith(matching);
  const log = createLog('test', 'silent');
  return new TaskLists({
    pages: { prepared: sql, planned: sql, inTurn },
    exports: sql,
    counts,
    texts: new TaskTexts(0),
    log,
    isOwned: () => true,
  });
}

/** The kept count of a list with `matching` tasks. */
async function keptOf(filter: TaskFilter, matching: number, sortBy: ListTasksQuery['sortBy'] = 'createdAt') {
  const counts = new FilterCounts(systemScheduler);
  const lists = listsOf(matching, counts);
  const { count } = await lists.list(ORGANIZATION, { ...filter, limit: 20, sortBy, sortOrder: 'DESC' }, null);
  assert.equal(count, matching);
  return counts.find(ORGANIZATION, filter);
}

test('a count is kept where knowing it spares the next page from gathering all that match', async () => {
  const [few, many] = [LIMITS.tasksGatheredAtOnce, LIMITS.tasksGatheredAtOnce + 1];
  const listed: TaskFilter[] = [
    { customerId: 1 },
    { agentId: [1, 2] },
    { locationId: 1 },
    { integrationData: [['a', 'b']] },
  ];
  for (const filter of listed) {
    assert.equal(await keptOf(filter, few), undefined, JSON.stringify(filter));
    assert.equal(await keptOf(filter, many), many, JSON.stringify(filter));
    assert.equal(await keptOf(filter, many, 'updatedAt'), undefined, 'few enough to be gathered for this order');
  }
  const most = LIMITS.tasksGatheredInsteadOfWalk;
  assert.equal(await keptOf({ customerId: 1 }, most + 1, 'updatedAt'), most + 1);
  assert.equal(await keptOf({ agentId: [1] }, LIMITS.tasksCountedAtOnce), undefined);
  assert.equal(await keptOf({ agentId: [1] }, LIMITS.tasksCountedAtOnce + 1), LIMITS.tasksCountedAtOnce + 1);
  assert.equal(await keptOf({ scheduledFrom: '2030-01-01T00:00:00.000Z' }, most), undefined);
});

test('a list waits for its turn where its statement may take long, and a prepared one does not', async () => {
  const turnsOf = async (filter: TaskFilter) => {
    const turns: number[] = [];
    const lists = listsOf(0, new FilterCounts(systemScheduler), (organizationId, read) => {
      turns.push(organizationId);
      return read();
    });
    await lists.list(ORGANIZATION, { ...filter, limit: 20, sortBy: 'createdAt', sortOrder: 'DESC' }, null);
    return turns;
  };
  assert.deepEqual(await turnsOf({ search: '12' }), [ORGANIZATION]);
  const reusable: TaskFilter[] = [{}, { status: ['new'] }, { customerId: 1 }];
  for (const filter of reusable) assert.deepEqual(await turnsOf(filter), [], JSON.stringify(filter));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FilterCounts } from '../../../../engine/org/lists/filter-counts.ts';
import { TaskLists } from '../../../../engine/org/lists/task-lists.ts';
import { TaskTexts } from '../../../../engine/org/lists/task-texts.ts';
import { systemScheduler } from '../../../../engine/runtime/clock.ts';
import { createLog } from '../../../../engine/runtime/log.ts';
import type { Sql } from '../../../../engine/store/postgres.ts';
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

/** The kept count of a list with `matching` tasks. */
async function keptOf(filter: TaskFilter, matching: number, sortBy: ListTasksQuery['sortBy'] = 'createdAt') {
  const counts = new FilterCounts(systemScheduler);
  const sql = storeWith(matching);
  const log = createLog('test', 'silent');
  const lists = new TaskLists({
    pages: { prepared: sql, planned: sql },
    exports: sql,
    counts,
    texts: new TaskTexts(0),
    log,
    isOwned: () => true,
  });
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

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as v from 'valibot';
import type { Caller } from '../../../schema/commands.ts';
import { exportTasksQuery, listTasksQuery } from '../../../schema/tasks/list-tasks.ts';
import { callerOf, type EngineFixture, startEngineFixture } from '../../faults/support/engine-fixture.ts';
import { seedAgent } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';

const OWN_TASKS = 5;

let fixture: EngineFixture;
let organizationId: number;
let own: number[];
let [agentId, otherId]: [number, number] = [0, 0];
let agent: Caller;
let staff: Caller;

before(async () => {
  fixture = await startEngineFixture({ organizations: 1 });
  const organization = fixture.organizations[0]!;
  organizationId = organization.organizationId;
  ({ agentId } = await seedAgent(fixture.databaseUrl, organizationId));
  ({ agentId: otherId } = await seedAgent(fixture.databaseUrl, organizationId));
  const seeds = Array.from({ length: OWN_TASKS }, () => ({ agentId, status: 'assigned' as const }));
  const [, unassigned, ...mine] = await seedTasks(fixture.databaseUrl, organization, [
    { agentId: otherId, status: 'assigned' },
    {},
    ...seeds,
  ]);
  assert.ok(unassigned);
  own = mine.map(({ id }) => id);
  staff = callerOf(organization);
  agent = { ...staff, role: 'agent', agentId };
});
after(() => fixture.stop());

async function listed(caller: Caller, query: Record<string, unknown> = {}) {
  const parsed = v.parse(listTasksQuery, query);
  const { items, count, nextCursor } = await fixture.engine.listTasks(organizationId, parsed, caller);
  return { ids: items.map(({ id }) => id).sort((a, b) => a - b), count, nextCursor };
}

async function exported(caller: Caller, query: Record<string, unknown> = {}): Promise<number[]> {
  const ids: number[] = [];
  await fixture.engine.exportTasks(organizationId, v.parse(exportTasksQuery, query), caller, {
    begin: () => {},
    take: async (batch) => {
      ids.push(...batch.map(({ task }) => task.id));
      return true;
    },
  });
  return ids.sort((a, b) => a - b);
}

test('an agent finds its own tasks only in lists and exports, and staff finds all', async () => {
  assert.deepEqual(await listed(agent), { ids: own, count: OWN_TASKS, nextCursor: null });
  assert.deepEqual(await exported(agent), own);
  assert.equal((await listed(staff)).count, OWN_TASKS + 2);
  assert.equal((await exported(staff)).length, OWN_TASKS + 2);
});

test('a filter by agents leaves an agent what is its own, or nothing', async () => {
  assert.deepEqual((await listed(agent, { agentId: [String(otherId), String(agentId)] })).ids, own);
  assert.deepEqual(await listed(agent, { agentId: [String(otherId)] }), { ids: [], count: 0, nextCursor: null });
  assert.deepEqual(await exported(agent, { agentId: [String(otherId)] }), []);
});

test('the cursor of an agent leads through its own tasks', async () => {
  const ids: number[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await listed(agent, { limit: '2', ...(cursor ? { cursor } : {}) });
    ids.push(...page.ids);
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(
    ids.sort((a, b) => a - b),
    own,
  );
});

test('a user with the role of an agent who is none sees no task', async () => {
  const nobody: Caller = { ...agent, agentId: null };
  assert.equal((await listed(nobody)).count, 0);
  assert.deepEqual(await exported(nobody), []);
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRoundStore } from '../../../engine/store/planning/round-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import type { OrganizationStatus } from '../../../schema/accounts/organization.ts';
import type { Caller } from '../../../schema/commands.ts';
import { courierRecord } from '../../unit/engine/decide/decide-fixture.ts';
import { type AssignmentFixture, startAssignmentFixture } from './assignment-fixture.ts';

let fixture: AssignmentFixture;
let sql: Sql;
before(async () => {
  fixture = await startAssignmentFixture({ externalCouriers: true, searchTimeoutSeconds: 600 });
  sql = connectPostgres(fixture.databaseUrl, { name: 'test', connections: 1, statementTimeoutMs: 10_000 });
});
after(async () => {
  await sql.end({ timeout: 2 });
  await fixture.stop();
});

async function become(status: OrganizationStatus): Promise<void> {
  const caller: Caller = { ...fixture.staff, role: 'super_admin' };
  assert.ok((await fixture.ask({ kind: 'update-organization', caller, input: { status } })).ok);
}

async function hasRounds(): Promise<boolean> {
  return (await createRoundStore(sql).findSearchingOf([fixture.organization.organizationId])).length > 0;
}

test('an organization has rounds only while it is active', async () => {
  await fixture.task();
  const seen: Partial<Record<OrganizationStatus, boolean>> = {};
  for (const status of ['pending', 'inactive', 'rejected', 'active'] as const) {
    await become(status);
    seen[status] = await hasRounds();
  }
  assert.deepEqual(seen, { pending: false, inactive: false, rejected: false, active: true });
});

test('the round that was under way gives nobody a task of an organization that is not active any more', async () => {
  const agentId = await fixture.agent();
  const task = await fixture.task();
  const send = async () => {
    const assignments = [{ taskId: task.id, courier: courierRecord() }];
    assert.ok((await fixture.ask({ kind: 'assign-couriers', caller: fixture.staff, assignments })).ok);
  };
  await become('inactive');
  const lack = { taskId: task.id, reason: 'no_eligible_agents', isHopeless: true, counts: {}, nearest: [] } as const;
  await fixture.propose([{ taskId: task.id, agentId }], [lack]);
  await send();
  const { status, search } = await fixture.read(task.id);
  assert.deepEqual([status, search?.waitsFor, await fixture.requests(task.id)], ['new', 'round', []]);
  await become('active');
  await fixture.propose([], [{ ...lack, isHopeless: false }]);
  await send();
  const { status: taken, courierType } = await fixture.read(task.id);
  assert.deepEqual([taken, courierType], ['accepted', 'external']);
});

test('the search of an organization that is not active ends at its time, and can be started again', async () => {
  const { id } = await fixture.task();
  await become('inactive');
  await fixture.pass(601_000);
  await become('active');
  const { autoAssignmentStatus, autoAssignmentFailureReason } = await fixture.read(id);
  assert.deepEqual([autoAssignmentStatus, autoAssignmentFailureReason], ['failed', 'no_available_agents']);
  assert.ok((await fixture.ask({ kind: 'search-agent', caller: fixture.staff, taskId: id })).ok);
  await fixture.propose([{ taskId: id, agentId: await fixture.agent() }]);
  assert.equal((await fixture.read(id)).autoAssignmentStatus, 'offered');
});

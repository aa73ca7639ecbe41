import assert from 'node:assert/strict';
import { noNeeds } from '../../../engine/org/decide/needed-records.ts';
import type { Engine } from '../../../engine/org/start-engine.ts';
import { createOrgStore } from '../../../engine/store/actor/actor-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { BUNDLE, CUSTOMER } from '../../../engine/store/rows/record-tables.ts';
import { idempotencyKey, scopedKeyOf } from '../../../schema/fields/idempotency-key.ts';
import type { JournalView } from '../../support/journal.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { SCOPE } from './engine-fixture.ts';

/** The number of compared records of each kind. */
export interface Compared {
  tasks: number;
  customers: number;
  keys: number;
}

/**
 * Compares the memory of an actor with Postgres, record by record, and the keys of the journal both ways: a record in
 * memory that Postgres lacks fails too. Waits until nothing is in flight.
 */
export async function assertMemoryIsPostgres(
  engine: Engine,
  databaseUrl: string,
  organizationId: number,
  journal: JournalView,
): Promise<Compared> {
  await engine.parts.groupCommit.whenIdle();
  return withSql(databaseUrl, async (sql) => {
    const compared = { tasks: 0, customers: 0, keys: 0 };
    const actor = engine.parts.directory.find(organizationId);
    if (!actor?.isLive) return compared;
    const { state } = actor;
    let customersHeld = 0;
    await compareHead(sql, organizationId, state);
    const rows = await sql`
      SELECT ${sql.unsafe(BUNDLE.list)} FROM tasks t
      WHERE t.organization_id = ${organizationId}`.values();
    for (const bundle of rows.map(BUNDLE.ofRow)) {
      const live = state.findTask(bundle.task.id);
      if (!live) continue;
      assert.deepEqual(state.bundleOf(live), bundle, `task ${bundle.task.id} differs`);
      compared.tasks += 1;
    }
    assert.equal(compared.tasks, state.taskCount, 'memory holds tasks that Postgres lacks');
    const customers = await sql<{ customer: unknown[] }[]>`
      SELECT ${sql.unsafe(CUSTOMER.json('c'))} AS customer FROM customers c WHERE c.organization_id = ${organizationId}`;
    for (const customer of customers.map((row) => CUSTOMER.ofJson(row.customer))) {
      if (state.findCustomer(customer.id)) customersHeld += 1;
      for (const held of [state.findCustomer(customer.id), state.findCustomerByPhone(customer.phoneE164!)]) {
        if (!held) continue;
        assert.deepEqual(held, customer, `customer ${customer.id} differs`);
        compared.customers += 1;
      }
    }
    assert.equal(customersHeld, state.customerCount, 'memory holds customers that Postgres lacks');
    compared.keys = await compareKeys(sql, organizationId, state, journal);
    return compared;
  });
}

type State = NonNullable<ReturnType<Engine['parts']['directory']['find']>>['state'];

async function compareHead(sql: Sql, organizationId: number, state: State): Promise<void> {
  const [organization] = await sql`
    SELECT organization_id, version, name, status, currency, limits, settings, created_at, updated_at
    FROM organizations WHERE organization_id = ${organizationId}`;
  assert.deepEqual(state.organization, { ...organization }, 'the organization differs');
  const [head] = await sql<{ lastSequence: number; nextDeadlineAt: string | null; used: number }[]>`
    SELECT last_sequence, next_deadline_at, coalesce((SELECT used FROM usage u
        WHERE u.organization_id = h.organization_id AND resource = 'tasks'), 0)::bigint AS used
    FROM organization_heads h WHERE organization_id = ${organizationId}`;
  const period = `${new Date().toISOString().slice(0, 7)}-01`;
  const { lastSequence, durableSequence, nextDeadlineAt } = state;
  const inMemory = { lastSequence, durableSequence, nextDeadlineAt, used: state.usedOf('tasks', period) };
  assert.deepEqual(inMemory, { ...head!, durableSequence: head!.lastSequence }, 'the head differs');
}

async function compareKeys(sql: Sql, organizationId: number, state: State, journal: JournalView): Promise<number> {
  const operations = [...journal.operations.values()].filter(
    ({ operation }) => operation.organizationId === organizationId,
  );
  const wanted = operations.map(({ operation: { key } }) => idempotencyKey(SCOPE, key, ''));
  const idempotency = new Map(wanted.map((scoped) => [scoped.scopedKey, scoped]));
  const fetched = await createOrgStore(sql).fetchRecords(organizationId, { ...noNeeds(), idempotency });
  const kept = new Map(fetched.idempotency.map(({ key, status, body }) => [key, { status, body }]));
  let compared = 0;
  for (const { operation } of operations) {
    const held = state.findIdempotency(scopedKeyOf(SCOPE, operation.key))?.record;
    if (!held) continue;
    assert.deepEqual({ status: held.status, body: held.body }, kept.get(operation.key), `key ${operation.key} differs`);
    compared += 1;
  }
  return compared;
}

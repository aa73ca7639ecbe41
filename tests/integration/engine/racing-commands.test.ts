import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import type { CommitStore } from '../../../engine/store/actor/commit-store.ts';
import type { Answer, Caller, Command, CreateTask } from '../../../schema/commands.ts';
import { createCustomerInput, updateCustomerInput } from '../../../schema/customers/customer.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { callerOf, createCommand, openTestEngine, startEngineFixture } from '../../faults/support/engine-fixture.ts';
import {
  type SeededOrganization,
  seedAgent,
  seedOrganization,
  seedSession,
  withSql,
} from '../../support/seeds/seed.ts';
import { createMigratedDatabase } from '../../support/stores.ts';

/** Commands that are right on their own, and meet others on their way. */

const FACTS = { correlationId: '', canonicalPath: '/v1/tasks/batch', method: 'POST' };

function idOf(answer: Answer): number {
  assert.ok(answer.ok, JSON.stringify(answer));
  return (JSON.parse(answer.data) as { id: number }).id;
}

test('batches of several organizations that wait for the same ids are all made', async () => {
  const { engine, organizations, stop } = await startEngineFixture({ organizations: 4 });
  try {
    // Each needs three blocks of ids for its packages.
    const TASKS = 100;
    const batchOf = (organization: SeededOrganization): Command => {
      const caller = callerOf(organization);
      const { input } = createCommand('a task', caller) as CreateTask;
      const packages = Array.from({ length: 30 }, (_, index) => ({ name: `package ${index}`, quantity: 1 }));
      const item = { input: { ...input, packages }, facts: FACTS, idempotency: undefined };
      const items = Array.from({ length: TASKS }, () => item);
      return { kind: 'create-tasks', caller, items, atomic: false, facts: FACTS } as unknown as Command;
    };
    const answers = await Promise.all(
      organizations.map((organization) => engine.ask(organization.organizationId, batchOf(organization))),
    );
    for (const answer of answers) {
      assert.ok(answer.ok, JSON.stringify(answer));
      assert.deepEqual((JSON.parse(answer.data) as { created: number }).created, TASKS);
    }
  } finally {
    await stop();
  }
});

test('a payment whose task changes hands while its accounts are read is made all the same', async () => {
  const { engine, organizations, databaseUrl, stop } = await startEngineFixture({ organizations: 1 });
  try {
    const [organization] = organizations as [SeededOrganization];
    const { organizationId } = organization;
    const caller: Caller = { ...callerOf(organization), type: 'user', id: 7, role: 'dispatcher' };
    const ask = (command: object) => engine.ask(organizationId, { caller, ...command } as Command);
    const [first, second] = [
      await seedAgent(databaseUrl, organizationId),
      await seedAgent(databaseUrl, organizationId),
    ];
    const taskId = idOf(await ask(createCommand('a task', caller)));
    const give = (agentId: number) => ask({ kind: 'assign-task', taskId, input: { agentId } });
    const takeBack = () => ask({ kind: 'unassign-task', taskId, input: {} });
    const accept = () => ask({ kind: 'change-task-status', taskId, input: { status: 'accepted' } });
    // Both agents with their tasks are in memory: to change hands takes no fetch.
    for (const { agentId } of [second, first]) {
      assert.ok((await give(agentId)).ok);
      assert.ok((await accept()).ok);
      assert.ok((await takeBack()).ok);
    }
    assert.ok((await give(first.agentId)).ok);
    assert.ok((await accept()).ok);
    const paid = ask({ kind: 'pay-task', method: 'cash', input: { taskId, amount: '10.00' } });
    const answers = await Promise.all([paid, takeBack(), give(second.agentId), accept()]);
    for (const answer of answers) assert.ok(answer.ok, JSON.stringify(answer));
    const balances = await withSql(
      databaseUrl,
      (sql) => sql`SELECT owner_id FROM ledger_accounts WHERE account = 'agent_cash' AND balance_minor <> 0`,
    );
    assert.deepEqual([...balances], [{ ownerId: second.agentId }]);
  } finally {
    await stop();
  }
});

test('a phone number that one customer gives up goes to a new one in the same commit', async () => {
  const ends: string[] = [];
  let held: Promise<void> | undefined;
  const wrapCommitStore = (store: CommitStore): CommitStore => ({
    ...store,
    async commit(parameters) {
      await held;
      const done = store.commit(parameters);
      done.then(
        () => ends.push('written'),
        (error: Error) => ends.push(error.message),
      );
      return done;
    },
  });
  const { engine, organizations, stop } = await startEngineFixture({ organizations: 1, wrapCommitStore });
  try {
    const [organization] = organizations as [SeededOrganization];
    const caller: Caller = { ...callerOf(organization) };
    const ask = (command: object) => engine.ask(organization.organizationId, { caller, ...command } as Command);
    const create = (name: string, phone: string) =>
      ask({ kind: 'create-customer', input: v.parse(createCustomerInput, { name, phone }) });
    const customerId = idOf(await create('Ada', '+442079460001'));
    // By then the actor knows who is there, and asks Postgres no more.
    for (let index = 10; index < 10 + 2 * LIMITS.fetchesBeforeBook; index += 1)
      idOf(await create('Ed', `+4420794600${index}`));
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    ends.length = 0;
    // While these are on their way, the next two gather.
    const onTheirWay = [create('Bob', '+442079460002'), create('Cy', '+442079460003')];
    await new Promise((resolve) => setTimeout(resolve, 50));
    const input = v.parse(updateCustomerInput, { phone: '+442079460004' });
    const gathered = [ask({ kind: 'update-customer', customerId, input }), create('Dora', '+442079460001')];
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    for (const answer of await Promise.all([...onTheirWay, ...gathered])) assert.ok(answer.ok, JSON.stringify(answer));
    assert.deepEqual(new Set(ends), new Set(['written']), ends.join('; '));
  } finally {
    await stop();
  }
});

test('the sessions of an agent end with its activity, also when it comes back before the commit', async () => {
  const { engine, organizations, databaseUrl, stop } = await startEngineFixture({ organizations: 1 });
  try {
    const [organization] = organizations as [SeededOrganization];
    const { organizationId } = organization;
    const { agentId, userId } = await seedAgent(databaseUrl, organizationId);
    await seedSession(databaseUrl, organizationId, userId);
    const update = (input: object) =>
      engine.ask(organizationId, {
        kind: 'update-agent',
        caller: callerOf(organization),
        agentId,
        input,
      } as Command);
    // By then all that the next two need is in memory.
    assert.ok((await update({ skills: [] })).ok);
    const answers = await Promise.all([update({ isActive: false }), update({ isActive: true })]);
    for (const answer of answers) assert.ok(answer.ok, JSON.stringify(answer));
    const going = await withSql(
      databaseUrl,
      (sql) => sql`SELECT FROM sessions WHERE organization_id = ${organizationId} AND revoked_at IS NULL`,
    );
    assert.equal(going.length, 0);
  } finally {
    await stop();
  }
});

for (const { name, offsetMs } of [
  { name: 'a moment before the month began', offsetMs: -500 },
  { name: 'in the month after', offsetMs: 32 * 86_400_000 },
]) {
  test(`the usage of a month counts on when the gateway is ${name} by its own clock`, async () => {
    const releaser = createReleaser(() => {});
    try {
      const database = await createMigratedDatabase();
      releaser.push('database', () => database.drop());
      const today = new Date();
      const monthBegins = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);
      const decidedAt = monthBegins + offsetMs;
      let stoppedAt: number | undefined;
      const clock = { now: () => stoppedAt ?? systemClock.now(), monotonic: () => systemClock.monotonic() };
      const period = `${new Date(decidedAt).toISOString().slice(0, 7)}-01`;
      const organization = await seedOrganization(database.url);
      const { organizationId } = organization;
      await withSql(database.url, async (sql) => {
        await sql`INSERT INTO usage VALUES (${organizationId}, 'tasks', ${period}, 500)`;
        await sql`UPDATE organization_heads SET last_at = ${new Date(decidedAt - 5_000).toISOString()}`;
        for (const table of ['events', 'idempotency_records'])
          await sql`SELECT ensure_daily_partitions(${table}::regclass, 40, 70)`;
      });
      const engine = await openTestEngine(database.url, { releaser, clock });
      // It compares the clocks when it starts. On a slow machine the moment would be over before the task is made.
      stoppedAt = decidedAt;
      idOf(await engine.ask(organizationId, createCommand('a task', callerOf(organization))));
      const rows = await withSql(
        database.url,
        (sql) => sql`SELECT period::text, used::int FROM usage WHERE resource = 'tasks'`,
      );
      assert.deepEqual([...rows], [{ period, used: 501 }]);
    } finally {
      await releaser.stop();
    }
  });
}

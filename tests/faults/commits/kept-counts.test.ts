import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as v from 'valibot';
import { shardOf } from '../../../engine/runtime/shard-of.ts';
import { CommitError, type CommitStore } from '../../../engine/store/actor/commit-store.ts';
import type { Command } from '../../../schema/commands.ts';
import { updateCustomerInput } from '../../../schema/customers/customer.ts';
import { createTaskSchema } from '../../../schema/tasks/create-task.ts';
import type { TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { taskInput } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { callerOf, type EngineFixture, startEngineFixture } from '../support/engine-fixture.ts';

/** Tasks of each customer: so many that the count of both is kept. */
const MANY = 200;

let fixture: EngineFixture;
/** Runs behind the next commit, whose answer is then lost. */
let loseAnswer: (() => Promise<unknown>) | undefined;

before(async () => {
  const wrapCommitStore = (store: CommitStore): CommitStore => ({
    ...store,
    async commit(parameters) {
      await store.commit(parameters);
      if (!loseAnswer) return;
      await loseAnswer();
      loseAnswer = undefined;
      throw new CommitError('unknown', 'the connection was lost');
    },
  });
  fixture = await startEngineFixture({ organizations: 2, wrapCommitStore });
});
after(() => fixture.stop());

/** An organization in which many tasks are of Ada Lovelace, and as many of Grace Lovelace. */
async function openScene(index: number) {
  const { engine, databaseUrl } = fixture;
  const organization = fixture.organizations[index]!;
  const { organizationId } = organization;
  const shard = shardOf(organizationId);
  const caller = callerOf(organization);
  const ask = (command: object) => engine.ask(organizationId, { caller, ...command } as Command);
  const facts = { correlationId: '', canonicalPath: '/v1/tasks/batch', method: 'POST' };
  const of = (name: string, phone: string) => {
    const input = v.parse(createTaskSchema(), taskInput({ customer: { name, phone }, integrationData: { shop: 'a' } }));
    return { input, facts, idempotency: undefined };
  };
  const both = [of('Ada Lovelace', '+442079460001'), of('Grace Lovelace', '+442079460002')];
  for (let made = 0; made < MANY; made += 50) {
    const items = Array.from({ length: 100 }, (_, index) => both[index % 2]);
    assert.ok((await ask({ kind: 'create-tasks', items, atomic: false, facts })).ok);
  }
  const [row] = await withSql(
    databaseUrl,
    (sql) =>
      sql<{ id: number }[]>`SELECT id FROM customers WHERE organization_id = ${organizationId} AND first_name = 'Ada'`,
  );
  const customerId = row!.id;
  const count = async (search: string) => {
    // Where a filter has an index, the count of some hundred is kept.
    const filter: TaskFilter = { search, integrationData: [['shop', 'a']] };
    const query = { ...filter, limit: 1, sortBy: 'createdAt', sortOrder: 'DESC' } as const;
    return (await engine.listTasks(organizationId, query, caller)).count;
  };
  // It is counted, and kept.
  for (let time = 0; time < 2; time += 1) assert.equal(await count('lovelace'), 2 * MANY);
  return { organizationId, shard, customerId, ask, count };
}

test('a search is counted again after another process had its organization', async () => {
  const { organizationId, shard, customerId, count } = await openScene(0);
  await withSql(fixture.databaseUrl, async (sql) => {
    await sql`UPDATE shards SET epoch = epoch + 2 WHERE shard = ${shard}`;
    await sql`UPDATE customers SET last_name = 'King', version = version + 1
      WHERE organization_id = ${organizationId} AND id = ${customerId}`;
  });
  await fixture.engine.parts.ownership.renew();
  assert.equal(fixture.engine.parts.ownership.standingOf(shard), 'owned');
  assert.deepEqual([await count('lovelace'), await count('king')], [MANY, MANY]);
});

test('a search is counted again after a commit of unknown outcome', async () => {
  const { organizationId, shard, customerId, ask, count } = await openScene(1);
  // As after another owner, who has written over the mark of the commit.
  loseAnswer = () =>
    withSql(fixture.databaseUrl, async (sql) => {
      await sql`UPDATE shards SET epoch = epoch + 2 WHERE shard = ${shard}`;
      await sql`UPDATE organization_heads SET last_group = NULL WHERE organization_id = ${organizationId}`;
    });
  const input = v.parse(updateCustomerInput, { name: 'Ada King' });
  const answer = await ask({ kind: 'update-customer', customerId, input });
  assert.equal(!answer.ok && answer.refusal.code, 'OUTCOME_UNKNOWN');
  assert.deepEqual([await count('lovelace'), await count('king')], [MANY, MANY]);
});

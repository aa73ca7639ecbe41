import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CROCKFORD_BASE32, createRandomSource, type RandomSource } from '../../../engine/runtime/random.ts';
import type { Answer, CreateTask, CreateTasks } from '../../../schema/commands.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { Journal } from '../../support/journal.ts';
import { type SeededOrganization, withSql } from '../../support/seeds/seed.ts';
import { callerOf, createCommand, startEngineFixture, statusOf } from '../support/engine-fixture.ts';
import { assertMemoryIsPostgres } from '../support/memory.ts';

const TAKEN = 'TAKENTAKEN';

/** Draws these codes first. */
function drawing(next: string[]): RandomSource {
  const random = createRandomSource();
  const text: RandomSource['text'] = (length, alphabet) =>
    (alphabet === CROCKFORD_BASE32 ? next.shift() : undefined) ?? random.text(length, alphabet);
  return { ...random, text };
}

function codesOf(answer: Answer): string[] {
  assert.ok(answer.ok, JSON.stringify(answer));
  const data = JSON.parse(answer.data) as TaskView | { readonly items: readonly { readonly task: TaskView }[] };
  return 'items' in data ? data.items.map(({ task }) => task.code) : [data.code];
}

test('a drawn code that a task already has is drawn again: alone, beside others and in a batch', async () => {
  const next = [TAKEN];
  const fixture = await startEngineFixture({ organizations: 1, random: drawing(next) });
  const { engine, databaseUrl, organizations } = fixture;
  try {
    const [organization] = organizations as [SeededOrganization];
    const { organizationId } = organization;
    const command = (key: string) => createCommand(key, callerOf(organization)) as CreateTask;
    const create = (key: string) => engine.ask(organizationId, command(key));
    assert.deepEqual(codesOf(await create('first')), [`TSK-${TAKEN}`]);

    next.push(TAKEN);
    const [alone] = codesOf(await create('alone'));
    assert.notEqual(alone, `TSK-${TAKEN}`);
    assert.deepEqual(codesOf(await create('alone')), [alone], 'the key keeps the answer that was given');

    next.push('BESIDEFIRST', TAKEN);
    const beside = await Promise.all(['one', 'two', 'three'].map(create));
    assert.equal(new Set(beside.flatMap(codesOf)).size, 3);

    next.push('BATCHFIRST', TAKEN);
    const { caller, input } = command('item');
    const items = ['a', 'b', 'c'].map((name) => ({ input: { ...input, name } }));
    const facts = { correlationId: 'test', canonicalPath: '/v1/tasks/batch', method: 'POST' };
    const batch: CreateTasks = { kind: 'create-tasks', caller, items, atomic: true, facts };
    const inBatch = codesOf(await engine.ask(organizationId, batch));
    assert.equal(new Set([...inBatch, `TSK-${TAKEN}`]).size, 4);

    const given = { ...command('given'), input: { ...input, code: `TSK-${TAKEN}` } };
    const refused = await engine.ask(organizationId, given);
    assert.deepEqual([statusOf(refused), refused.ok || refused.refusal.code], [409, 'TASK_CODE_TAKEN']);

    await assertMemoryIsPostgres(engine, databaseUrl, organizationId, new Journal());
    const [written] = await withSql(
      databaseUrl,
      (sql) => sql`SELECT count(*)::int AS tasks FROM tasks WHERE organization_id = ${organizationId}`,
    );
    assert.deepEqual({ ...written }, { tasks: 1 + 1 + 3 + 3 });
  } finally {
    await fixture.stop();
  }
});

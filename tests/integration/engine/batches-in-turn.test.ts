import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command, CreateTask } from '../../../schema/commands.ts';
import type { CreateTaskInput } from '../../../schema/tasks/create-task.ts';
import { callerOf, createCommand, startEngineFixture } from '../../faults/support/engine-fixture.ts';
import type { SeededOrganization } from '../../support/seeds/seed.ts';

const BATCHES = 5;
const ITEMS = 10;

test('batches that waited for their organization together are decided one a turn of the loop', async () => {
  const { engine, organizations, stop } = await startEngineFixture({ organizations: 2 });
  try {
    const [other, organization] = organizations as [SeededOrganization, SeededOrganization];
    // Reserves ids for all: a command that waits for some gives up its turn without a request for it.
    await engine.ask(other.organizationId, batchOf(other, [{}]));
    const items = Array.from({ length: ITEMS }, () => ({}));
    const { organizationId } = organization;
    const asked = Array.from({ length: BATCHES }, () => engine.ask(organizationId, batchOf(organization, items)));
    let hasEnded = false;
    const answers = Promise.all(asked).finally(() => {
      hasEnded = true;
    });
    const decided = () => engine.parts.directory.find(organizationId)?.state?.lastSequence ?? 0;
    const perTurn: number[] = [];
    while (!hasEnded) {
      const before = decided();
      await new Promise(setImmediate);
      if (decided() > before) perTurn.push(decided() - before);
    }
    assert.ok((await answers).every(({ ok }) => ok));
    assert.deepEqual(perTurn, Array(BATCHES).fill(ITEMS));
  } finally {
    await stop();
  }
});

test('a command that must wait for a fetch waits for one batch, not for all earlier ones', async () => {
  const { engine, organizations, stop } = await startEngineFixture({ organizations: 1 });
  try {
    const [organization] = organizations as [SeededOrganization];
    const { organizationId } = organization;
    await engine.ask(organizationId, batchOf(organization, [{}]));
    // No code is known to be free before it was looked for.
    const asked = ['batch 1', 'batch 2', 'batch 3', 'task 1', 'batch 4', 'task 2'].map(async (name) => {
      const command = name.startsWith('batch')
        ? batchOf(organization, [{ code: `${name}, 1` }, { code: `${name}, 2` }])
        : createOf(organization, { code: name });
      const answer = await engine.ask(organizationId, command);
      assert.ok(answer.ok, JSON.stringify(answer));
      return { name, sequence: answer.sequence };
    });
    const answers = (await Promise.all(asked)).sort((one, other) => one.sequence - other.sequence);
    const order = answers.map(({ name }) => name);
    assert.deepEqual(order, ['batch 1', 'batch 2', 'task 1', 'task 2', 'batch 3', 'batch 4']);
  } finally {
    await stop();
  }
});

type Extra = Partial<CreateTaskInput>;

function createOf(organization: SeededOrganization, extra: Extra): CreateTask {
  const { kind, caller, input } = createCommand('a task', callerOf(organization)) as CreateTask;
  return { kind, caller, input: { ...input, ...extra } };
}

function batchOf(organization: SeededOrganization, extras: readonly Extra[]): Command {
  const items = extras.map((extra) => ({ input: createOf(organization, extra).input }));
  const facts = { correlationId: 'test', canonicalPath: '/v1/tasks/batch', method: 'POST' };
  return { kind: 'create-tasks', caller: callerOf(organization), items, atomic: false, facts };
}

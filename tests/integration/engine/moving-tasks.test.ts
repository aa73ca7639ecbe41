import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Engine } from '../../../engine/org/start-engine.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import type { CreateTask } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { callerOf, cancelCommand, createCommand, openTestEngine } from '../../faults/support/engine-fixture.ts';
import { type SeededOrganization, seedAgent, seedOrganization } from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';

/** How many open tasks of an organization are moving ones. */

/** A fifth of the real ones: nothing else depends on them. */
const BOUNDS = { movingTasks: LIMITS.movingTasks / 5, movingNewTasks: LIMITS.movingNewTasks / 5 };
const AT_ONCE = 50;

const limits = { ...LIMITS };
before(() => void Object.assign(LIMITS, BOUNDS));
after(() => void Object.assign(LIMITS, limits));

let organization: SeededOrganization;

const { url, sql } = useDatabase({}, async () => {
  organization = await seedOrganization(url);
});

async function withEngine<T>(body: (engine: Engine) => Promise<T>): Promise<T> {
  const releaser = createReleaser(() => {});
  try {
    return await body(await openTestEngine(url, { releaser }));
  } finally {
    await releaser.stop();
  }
}

async function create(engine: Engine, count: number): Promise<number[]> {
  const caller = callerOf(organization);
  const { input } = createCommand('a task', caller) as CreateTask;
  const ids: number[] = [];
  while (ids.length < count) {
    const asked = Array.from({ length: AT_ONCE }, () =>
      engine.ask(organization.organizationId, { kind: 'create-task', caller, input: { ...input, code: undefined } }),
    );
    for (const answer of await Promise.all(asked)) {
      assert.ok(answer.ok, JSON.stringify(answer));
      ids.push((JSON.parse(answer.data) as { id: number }).id);
    }
  }
  return ids;
}

async function cancel(engine: Engine, ids: readonly number[]): Promise<void> {
  const caller = callerOf(organization);
  const asked = ids.map((id) => engine.ask(organization.organizationId, cancelCommand(id, `cancel ${id}`, caller)));
  for (const answer of await Promise.all(asked)) assert.ok(answer.ok, JSON.stringify(answer));
}

/** Open tasks of either kind. */
async function countOpen(): Promise<{ moving: number; settled: number }> {
  const [row] = await sql<{ moving: number; settled: number }[]>`
    SELECT count(*) FILTER (WHERE moving_while_open) AS moving, count(*) FILTER (WHERE NOT moving_while_open) AS settled
    FROM tasks WHERE organization_id = ${organization.organizationId} AND completed_at IS NULL AND cancelled_at IS NULL`;
  return row!;
}

test('new tasks are moving ones while few are open; past that they are settled, by whichever owner', async () => {
  const full = await withEngine(async (engine) => {
    await create(engine, LIMITS.movingTasks);
    const open = { moving: LIMITS.movingNewTasks, settled: LIMITS.movingTasks - LIMITS.movingNewTasks };
    assert.deepEqual(await countOpen(), open);
    return open;
  });
  await withEngine(async (engine) => {
    const [made, ...others] = await Promise.all([create(engine, AT_ONCE), create(engine, 2 * AT_ONCE)]);
    assert.deepEqual(await countOpen(), { ...full, settled: full.settled + 3 * AT_ONCE });
    await cancel(engine, [...made!, ...others.flat()]);
    assert.deepEqual(await countOpen(), full);
  });
});

async function assign(engine: Engine, ids: readonly number[], agentId: number): Promise<void> {
  const caller = callerOf(organization);
  const asked = ids.map((taskId) =>
    engine.ask(organization.organizationId, { kind: 'assign-task', caller, taskId, input: { agentId } }),
  );
  for (const answer of await Promise.all(asked)) assert.ok(answer.ok, JSON.stringify(answer));
}

test('when tasks end, new ones move again', async () => {
  const idsOf = async (areMoving: boolean) => {
    const rows = await sql<{ id: number }[]>`
      SELECT id FROM tasks WHERE organization_id = ${organization.organizationId} AND moving_while_open = ${areMoving}
        AND cancelled_at IS NULL`;
    return rows.map(({ id }) => id);
  };
  await withEngine(async (engine) => {
    await cancel(engine, await idsOf(false));
    assert.deepEqual(await countOpen(), { moving: LIMITS.movingNewTasks, settled: 0 });
    // Again and again: each time takes the places that the time before has left.
    for (let times = 0; times < 3; times++) {
      await cancel(engine, await idsOf(true));
      await create(engine, AT_ONCE);
      assert.deepEqual(await countOpen(), { moving: AT_ONCE, settled: 0 });
    }
  });
});

test('tasks that somebody takes get the places that are left, however many wait and whichever owner gives them', async () => {
  organization = await seedOrganization(url);
  const { agentId } = await seedAgent(url, organization.organizationId);
  const [few, most] = [LIMITS.movingNewTasks, LIMITS.movingTasks];
  const waiting = await withEngine(async (engine) => {
    const ids = await create(engine, 2 * most);
    assert.deepEqual(await countOpen(), { moving: few, settled: 2 * most - few });
    await assign(engine, ids.slice(few, most - 5), agentId);
    assert.deepEqual(await countOpen(), { moving: most - 5, settled: most + 5 });
    await cancel(engine, ids.slice(0, 3));
    return ids.slice(most - 5);
  });
  await withEngine(async (engine) => {
    await assign(engine, waiting.slice(0, 20), agentId);
    assert.deepEqual(await countOpen(), { moving: most, settled: most - 3 });
    await cancel(engine, waiting.slice(0, 2));
    await create(engine, AT_ONCE);
    assert.deepEqual(await countOpen(), { moving: most - 2, settled: most - 3 + AT_ONCE });
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CreateTask } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { callerOf, createCommand, startEngineFixture } from '../../faults/engine-fixture.ts';

const TASKS = LIMITS.liveTasksPerOrganization + 2_000;
/** Few enough for the ids at hand: whoever waits for ids makes room on the way. */
const AT_ONCE = 200;

test('tasks leave memory past its bound though nothing has to be fetched, and are read back when asked for', async () => {
  const { engine, organizations, stop } = await startEngineFixture({ organizations: 1 });
  try {
    const [organization] = organizations;
    const { organizationId } = organization!;
    const caller = callerOf(organization!);
    const { input } = createCommand('a task', caller) as CreateTask;
    const ids: number[] = [];
    while (ids.length < TASKS) {
      const asked = Array.from({ length: AT_ONCE }, () =>
        engine.ask(organizationId, { kind: 'create-task', caller, input }),
      );
      for (const answer of await Promise.all(asked)) {
        assert.ok(answer.ok, JSON.stringify(answer));
        ids.push((JSON.parse(answer.data) as { id: number }).id);
      }
    }
    const { state } = engine.directory.find(organizationId)!;
    const live = ids.filter((id) => state.hasTask(id)).length;
    assert.ok(live <= LIMITS.liveTasksPerOrganization, `${live} of ${ids.length} tasks are in memory`);
    assert.equal(state.hasTask(ids[0]!), false, 'the longest unused went first');
    const read = await engine.ask(organizationId, { kind: 'read-task', caller, taskId: ids[0]!, show: 'task' });
    assert.ok(read.ok);
  } finally {
    await stop();
  }
});

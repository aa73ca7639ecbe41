import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommitFailure } from '../../../engine/store/actor/commit-store.ts';
import type { Answer, Command } from '../../../schema/commands.ts';
import type { LoggedEvent } from '../../../schema/events.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { createFaultyCommitStore, type FaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import { until } from '../../support/until.ts';
import {
  callerOf,
  cancelCommand,
  createCommand,
  type EngineFixture,
  startEngineFixture,
  statusOf,
} from '../support/engine-fixture.ts';

/** Longer than any commit takes that no test holds. */
const LONG_MS = 300;
/**
 * Longer than records take to be fetched on a slow machine. A command that still waits for its own when the commit fails
 * rests on nothing, and succeeds.
 */
const FETCHED_MS = 2_500;

interface Held {
  readonly answers: readonly Promise<Answer>[];
  /** Names of the requests that were answered so far, and of the events that were published. */
  readonly left: string[];
  readonly seen: LoggedEvent[];
  readonly taskId: number;
  release(): void;
}

/** Creates a task and then, on a commit that waits, asks for everything that rests on this task. */
async function askWhileHeld({ engine, organizations }: EngineFixture, store: FaultyCommitStore): Promise<Held> {
  const organization = organizations[0]!;
  const { organizationId } = organization;
  const caller = callerOf(organization);
  const made = await engine.ask(organizationId, createCommand('made-1', caller));
  assert.ok(made.ok);
  const { id: taskId } = JSON.parse(made.data) as TaskView;
  const seen: LoggedEvent[] = [];
  engine.feed.subscribe(organizationId, {
    onEvents: async ({ events }) => void seen.push(...events.map(({ event }) => event)),
    onLogCut: () => assert.fail('the log is whole'),
  });
  const { arrived, release } = store.hold();
  const left: string[] = [];
  const ask = async (name: string, command: Command) => {
    const answer = await engine.ask(organizationId, command);
    left.push(name);
    return answer;
  };
  const first = ask('cancel', cancelCommand(taskId, 'cancel-1', caller));
  await arrived;
  const resting = {
    'create another': createCommand('made-2', caller),
    'cancel again': { kind: 'change-task-status', caller, taskId, input: { status: 'cancelled' } },
    'cancel again with a key': cancelCommand(taskId, 'cancel-2', caller),
    'repeat the cancel': cancelCommand(taskId, 'cancel-1', caller),
    'repeat the creation': createCommand('made-2', caller),
    read: { kind: 'read-task', caller, taskId, show: 'task' },
  } as const;
  const answers = [first, ...Object.entries(resting).map(([name, command]) => ask(name, command))];
  // A command that is asked later waits for it, even if it does not wait for the commit.
  const isDecided = () => engine.parts.directory.find(organizationId)?.state.lastSequence === 3;
  await until('the other creation has its records and is decided', isDecided);
  await delay(FETCHED_MS);
  return { answers, left, seen, taskId, release };
}

test('while a commit is held back, no 2xx, no 409 and no event that rests on it leaves', async () => {
  const store = createFaultyCommitStore();
  const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: store.wrap });
  try {
    const { answers, left, seen, release } = await askWhileHeld(fixture, store);
    assert.deepEqual(left, []);
    assert.deepEqual(seen, []);
    const query = { page: 1, limit: 20, sortBy: 'createdAt', sortOrder: 'DESC' } as const;
    const caller = callerOf(fixture.organizations[0]!);
    const { items } = await fixture.engine.listTasks(fixture.organizationIds[0]!, query, caller);
    assert.deepEqual(
      items.map(({ json }) => (JSON.parse(json) as TaskView).status),
      ['new'],
      'a list shows what was before',
    );
    release();
    const statuses = (await Promise.all(answers)).map(statusOf);
    assert.deepEqual(statuses, [200, 201, 409, 409, 200, 201, 200]);
    await until('both events are published', () => seen.length >= 2);
    assert.deepEqual(
      seen.map(({ sequence }) => sequence),
      [2, 3],
    );
  } finally {
    await fixture.stop();
  }
});

for (const failure of ['failed', 'unknown', 'fenced'] as const satisfies readonly CommitFailure[]) {
  test(`when the commit that was held back ends with "${failure}", no 2xx, no 409 and no event that rests on it leaves`, async () => {
    const store = createFaultyCommitStore();
    const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: store.wrap });
    const { engine, organizations } = fixture;
    try {
      const { answers, seen, taskId, release } = await askWhileHeld(fixture, store);
      store.failNext('before', failure);
      release();
      const statuses = (await Promise.all(answers)).map(statusOf);
      assert.deepEqual(
        statuses,
        answers.map(() => 503),
      );
      await delay(LONG_MS);
      assert.deepEqual(seen, []);
      const caller = callerOf(organizations[0]!);
      const read = await engine.ask(organizations[0]!.organizationId, {
        kind: 'read-task',
        caller,
        taskId,
        show: 'task',
      });
      assert.ok(read.ok);
      assert.equal((JSON.parse(read.data) as TaskView).status, 'new', 'the cancel has left no trace');
      const again = await engine.ask(organizations[0]!.organizationId, cancelCommand(taskId, 'cancel-1', caller));
      assert.equal(statusOf(again), 200);
      await until('the event is published', () => seen.length >= 1);
      assert.deepEqual(
        seen.map(({ sequence }) => sequence),
        [2],
      );
    } finally {
      await fixture.stop();
    }
  });
}

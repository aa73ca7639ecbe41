import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import type { Engine } from '../../../engine/org/start-engine.ts';
import { boundsOfHeap, type MemoryBounds } from '../../../engine/org/state/memory-bounds.ts';
import type { CommitStore } from '../../../engine/store/actor/commit-store.ts';
import { updateOrganizationInput } from '../../../schema/accounts/organization.ts';
import type { Caller, Command, CreateTask } from '../../../schema/commands.ts';
import { idempotencyKey } from '../../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { callerOf, createCommand, startEngineFixture } from '../../faults/support/engine-fixture.ts';
import { until } from '../../support/until.ts';

/** A tenth of the real ones or less: a bound is no other for being small. */
const BOUNDS = { liveTasksPerOrganization: 2_000, keptAnswersInMemory: 100, keptAnswerCharsInMemory: 1_048_576 };
const TASKS = BOUNDS.liveTasksPerOrganization + LIMITS.batchTasks;
/** Few enough for the ids at hand: a command that waits for ids evicts records on the way. */
const AT_ONCE = 100;
const KEYS = BOUNDS.keptAnswersInMemory + 400;

interface Place {
  readonly engine: Engine;
  readonly organizationId: number;
  readonly caller: Caller;
}

/** A process that is full with what any organization may keep. */
const FULL: MemoryBounds = { tasks: 0, shownChars: 0, listedBytes: 0 };

async function inOrganization(memory: MemoryBounds, body: (place: Place) => Promise<void>): Promise<void> {
  const { engine, organizations, stop } = await startEngineFixture({ organizations: 1, memory });
  const [organization] = organizations;
  const limits = { ...LIMITS };
  try {
    Object.assign(LIMITS, BOUNDS);
    await body({ engine, organizationId: organization!.organizationId, caller: callerOf(organization!) });
  } finally {
    Object.assign(LIMITS, limits);
    await stop();
  }
}

/** Resolves to the answer. */
async function createBatch(
  { engine, organizationId, caller }: Place,
  inputs: readonly CreateTask['input'][],
  idempotency?: Command['idempotency'],
): Promise<string> {
  const facts = { correlationId: '', canonicalPath: '/v1/tasks/batch', method: 'POST' };
  const items = inputs.map((input) => ({ input, facts, idempotency: undefined }));
  const command = { kind: 'create-tasks', caller, items, atomic: false, facts, idempotency } as Command;
  const answer = await engine.ask(organizationId, command);
  assert.ok(answer.ok, JSON.stringify(answer));
  return answer.data;
}

test('tasks leave a full memory though nothing has to be fetched, and are read back when asked for', () => {
  const memory = { ...FULL, tasks: 2 * TASKS };
  return inOrganization(memory, async (place) => {
    const { engine, organizationId, caller } = place;
    const { input } = createCommand('a task', caller) as CreateTask;
    const ids: number[] = [];
    const codeOf = (index: number) => `ORDER ${index}`;
    const create = (code: string) =>
      engine.ask(organizationId, { kind: 'create-task', caller, input: { ...input, code } });
    const read = (taskId: number) => engine.ask(organizationId, { kind: 'read-task', caller, taskId, show: 'task' });
    while (ids.length < TASKS) {
      const inputs = Array.from({ length: LIMITS.batchTasks }, (_, index) => ({
        ...input,
        code: codeOf(ids.length + index),
      }));
      const made = await createBatch(place, inputs);
      ids.push(...(JSON.parse(made) as { items: { task: { id: number } }[] }).items.map(({ task }) => task.id));
      assert.ok((await Promise.all(ids.slice(-LIMITS.batchTasks).map(read))).every(({ ok }) => ok));
    }
    const { state } = engine.parts.directory.find(organizationId)!;
    assert.equal(state.taskCount, TASKS, 'where there is room an organization keeps what was asked for');
    memory.tasks = 0;
    let more = 0;
    await until('tasks have left', async () => {
      assert.ok((await create(`MORE ${more++}`)).ok);
      return state.taskCount <= LIMITS.liveTasksPerOrganization;
    });
    assert.equal(state.hasTask(ids[0]!), false, 'the longest unused went first');
    assert.ok((await read(ids[0]!)).ok);
    const away = ids.findIndex((id) => !state.hasTask(id));
    const twin = await create(codeOf(away));
    assert.equal(!twin.ok && twin.refusal.code, 'TASK_CODE_TAKEN');
    // Others are known to be new without asking.
    assert.deepEqual([state.codes.mayKnow(codeOf(away + 1)), state.codes.mayKnow(codeOf(TASKS))], [true, false]);
    assert.ok((await create(codeOf(TASKS))).ok);
  });
});

test('a process keeps what its heap has room for', () => {
  assert.deepEqual(boundsOfHeap(4_144 * 1_048_576), {
    tasks: 212_172,
    shownChars: 271_581_184,
    listedBytes: 135_790_592,
  });
  assert.deepEqual(boundsOfHeap(256 * 1_048_576), { tasks: 13_107, shownChars: 16_777_216, listedBytes: 8_388_608 });
});

test('keys leave memory past its bound, and what was answered under them is answered again', () =>
  inOrganization(FULL, async ({ engine, organizationId, caller }) => {
    const keyOf = (index: number) => createCommand(`key ${index}`, caller);
    const idUnder = async (index: number) => {
      const answer = await engine.ask(organizationId, keyOf(index));
      assert.ok(answer.ok, JSON.stringify(answer));
      return (JSON.parse(answer.data) as { id: number }).id;
    };
    const ids: number[] = [];
    while (ids.length < KEYS) {
      const asked = Array.from({ length: AT_ONCE }, (_, index) => idUnder(ids.length + index));
      ids.push(...(await Promise.all(asked)));
    }
    assert.equal(new Set(ids).size, KEYS);
    const { state } = engine.parts.directory.find(organizationId)!;
    const scopedKey = (index: number) => keyOf(index).idempotency!.scopedKey;
    const gone = ids.flatMap((_, index) => (state.findIdempotency(scopedKey(index)) ? [] : index));
    assert.ok(gone.length > 200, `${gone.length} of ${KEYS} keys have left memory`);
    assert.equal(state.keys.mayKnow(scopedKey(KEYS)), false, 'others are known to be new without asking');
    for (const index of gone) assert.ok(state.keys.mayKnow(scopedKey(index)), `key ${index}`);
    for (const index of [gone[0]!, gone[100]!, gone.at(-1)!]) assert.equal(await idUnder(index), ids[index]);
  }));

test('the answers of keyed batches leave memory by their length, and are given again', () =>
  inOrganization(FULL, async (place) => {
    const { engine, organizationId, caller } = place;
    const { input } = createCommand('a task', caller) as CreateTask;
    const keyOf = (index: number) => idempotencyKey('batch', `key ${index}`, 'the same');
    // Few tasks of many words: only their length counts.
    const inputs = Array.from({ length: 6 }, () => ({ ...input, notes: 'x'.repeat(10_000) }));
    const create = (index: number) => createBatch(place, inputs, keyOf(index));
    const answers: string[] = [];
    for (let index = 0; index < 24; index += 1) answers.push(await create(index));
    const { state } = engine.parts.directory.find(organizationId)!;
    const lengths = answers.map((_, index) => state.findIdempotency(keyOf(index).scopedKey)?.record.body.length ?? 0);
    const all = answers.reduce((sum, answer) => sum + answer.length, 0);
    const held = lengths.reduce((sum, length) => sum + length, 0);
    assert.ok(all > 1.5 * LIMITS.keptAnswerCharsInMemory, `${all} in all`);
    assert.ok(held > 0 && held <= LIMITS.keptAnswerCharsInMemory, `${held} of ${all} are in memory`);
    assert.equal(lengths[0], 0, 'the oldest went first');
    assert.equal(await create(0), answers[0]);
  }));

test('the records that the audit log keeps count in the size of a commit', async () => {
  const commits: number[] = [];
  const wrapCommitStore = (store: CommitStore): CommitStore => ({
    ...store,
    commit(parameters) {
      commits.push(parameters.audit?.length ?? 0);
      return store.commit(parameters);
    },
  });
  const { engine, organizations, stop } = await startEngineFixture({ organizations: 1, wrapCommitStore });
  try {
    const { organizationId } = organizations[0]!;
    const caller = { ...callerOf(organizations[0]!), role: 'org_admin' } as const;
    const change = (index: number) => {
      const settings = { note: `${index} ${'x'.repeat(LIMITS.integrationDataBytes - 100)}` };
      const input = v.parse(updateOrganizationInput, { settings });
      return engine.ask(organizationId, { kind: 'update-organization', caller, input });
    };
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => change(index)));
    assert.ok(
      answers.every(({ ok }) => ok),
      JSON.stringify(answers.find(({ ok }) => !ok)),
    );
    const total = commits.reduce((sum, size) => sum + size, 0);
    assert.ok(total > 5 * LIMITS.batchBytes, `${total} in all`);
    const lineChars = 2 * LIMITS.integrationDataBytes + 1_000;
    assert.ok(Math.max(...commits) < LIMITS.batchBytes + lineChars, `commits of ${commits}`);
  } finally {
    await stop();
  }
});

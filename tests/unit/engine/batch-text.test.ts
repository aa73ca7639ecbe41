import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTooLong } from '../../../engine/org/actor/batch-text.ts';
import { decideCreateTask } from '../../../engine/org/decide/tasks/create-task.ts';
import type { OrgState } from '../../../engine/org/state/org-state.ts';
import type { BatchItem, CreateTasks } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { CreateTaskInput } from '../../../schema/tasks/create-task.ts';
import { callerOf, decideOn, NOW, PACKAGE, PLACE, stateWith, TASK } from './decide/decide-fixture.ts';

const QUARTER = 'x'.repeat(LIMITS.batchTextChars / 4);
const FACTS = { correlationId: 'test', canonicalPath: '/v1/tasks/batch', method: 'POST' };

function isRefused(state: OrgState, count: number, item: BatchItem): boolean {
  const items = Array.from({ length: count }, () => item);
  const command: CreateTasks = {
    kind: 'create-tasks',
    caller: callerOf('dispatcher'),
    items,
    atomic: false,
    facts: FACTS,
  };
  return isTooLong(state, command, Date.parse(NOW));
}

const inputOf = (fields: Partial<CreateTaskInput>) =>
  ({ name: 'x', taskType: 'delivery', ...fields }) as CreateTaskInput;
const child = (fields: object) => inputOf({ children: [inputOf(fields)] } as Partial<CreateTaskInput>);

describe('the text of a batch that no body bounds', () => {
  for (const [what, input] of [
    ['of the task that a package leaves', inputOf({ packageIds: [PACKAGE, PACKAGE] })],
    ['of the task that a package of a child leaves', child({ packageIds: [PACKAGE] })],
    ['of a job that gets a child', inputOf({ parentId: TASK })],
  ] as const)
    test(`the text ${what} counts each time`, () => {
      const state = stateWith('unserved', 'cancelled', { fields: { notes: QUARTER } });
      assert.deepEqual([isRefused(state, 3, { input }), isRefused(state, 4, { input })], [false, true]);
    });

  test('a package that no task has counts with its own text', () => {
    const state = stateWith('unserved', 'cancelled');
    const { record } = state.findPackage(PACKAGE)!;
    state.apply({ kind: 'put-package', record: { ...record, taskId: null, notes: QUARTER }, leaves: TASK }, 0);
    const { task } = state.findTask(TASK)!;
    state.apply({ kind: 'put-task', task, packages: [] }, 0);
    const input = inputOf({ packageIds: [PACKAGE] });
    assert.deepEqual([isRefused(state, 3, { input }), isRefused(state, 4, { input })], [false, true]);
  });

  test('a task that was made under the same key counts with the packages that moved to it, however it is now', () => {
    const state = stateWith('unserved', 'new');
    const moved = { id: 9_999, name: 'Box', description: 'Box', notes: QUARTER };
    const kept = { organizationId: 1, scope: 's', key: 'k', at: NOW, sequence: 1, toldAt: null, status: 201 };
    const body = JSON.stringify({ packages: [], children: [{ packages: [moved] }] });
    state.rememberIdempotency('s k', { ...kept, fingerprint: 'f', body }, 0);
    const key = { scope: 's', key: 'k', scopedKey: 's k', fingerprint: 'f' };
    const again = (packageIds: number[], fingerprint = 'f') =>
      isRefused(state, 4, { input: child({ packageIds }), idempotency: { ...key, fingerprint } });
    assert.deepEqual([again([9_999]), again([1]), again([9_999], 'other')], [true, false, false]);
  });
});

test('a task whose packages leave tasks with more text than a commit bears is too large', () => {
  const codeOf = (chars: number) => {
    const state = stateWith('unserved', 'cancelled', { fields: { notes: 'x'.repeat(chars) } });
    const input = { ...inputOf({ packageIds: [PACKAGE] }), location: PLACE } as CreateTaskInput;
    const { decision } = decideOn(state, (draft, context) =>
      decideCreateTask(draft, { kind: 'create-task', caller: callerOf('dispatcher'), input }, context),
    );
    return decision.ok ? 'ok' : decision.refusal.code;
  };
  assert.deepEqual([codeOf(LIMITS.batchTextChars - 100), codeOf(LIMITS.batchTextChars)], ['ok', 'TASK_TOO_LARGE']);
});

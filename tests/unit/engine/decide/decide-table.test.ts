import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DecideContext, Decision } from '../../../../engine/org/decide/decision.ts';
import { decideAddPackage } from '../../../../engine/org/decide/tasks/add-package.ts';
import { decideChangePackageStatus } from '../../../../engine/org/decide/tasks/change-package-status.ts';
import { decideChangeTaskStatus } from '../../../../engine/org/decide/tasks/change-task-status.ts';
import { decideCreateTask } from '../../../../engine/org/decide/tasks/create-task.ts';
import { decideUpdateTask } from '../../../../engine/org/decide/tasks/update-task.ts';
import type { Change } from '../../../../engine/org/state/changes.ts';
import type { Draft } from '../../../../engine/org/state/draft.ts';
import { CALLER_ROLES } from '../../../../schema/accounts/role.ts';
import type { Caller } from '../../../../schema/commands.ts';
import type { PackageStatus } from '../../../../schema/tasks/package.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../../schema/tasks/task.ts';
import {
  at,
  callerOf,
  decideOn,
  NOW,
  OTHER_AGENT,
  OWN_AGENT,
  openRequest,
  PACKAGE,
  type Shape,
  searchThatAsks,
  stateWith,
  TASK,
} from './decide-fixture.ts';

/**
 * The answers to edits and additions, for each status and kind of caller (docs/contract.md §2 and §3). The answers to a
 * change of the status stand in tests/support/status-table.ts.
 * ok: changes · edit: 409 TASK_NOT_EDITABLE · kin: 409 INVALID_PARENT · 400, 403 and 404: plain.
 */
type Cell = 'ok' | 'edit' | 'kin' | '400' | '403' | '404';
type Row = readonly Cell[];
type Table = Readonly<Record<TaskStatus, Row>>;

// biome-ignore format: read by columns
const TASKS: Table = {
  //                    PATCH   +package child
  new:                 ['ok',   'ok',   'ok'],
  awaiting_assignment: ['ok',   'ok',   'ok'],
  assigned:            ['edit', 'edit', 'kin'],
  accepted:            ['edit', 'edit', 'kin'],
  in_transit:          ['edit', 'edit', 'kin'],
  completed:           ['edit', 'edit', 'kin'],
  cancelled:           ['edit', 'edit', 'kin'],
};
// biome-ignore format: read by columns
const JOBS: Table = {
  //                    PATCH   +package child
  new:                 ['ok',   'ok',   'ok'],
  awaiting_assignment: ['ok',   'ok',   'ok'],
  assigned:            ['edit', 'edit', 'ok'],
  accepted:            ['edit', 'edit', 'ok'],
  in_transit:          ['edit', 'edit', 'ok'],
  completed:           ['edit', 'edit', 'kin'],
  cancelled:           ['edit', 'edit', 'kin'],
};
// biome-ignore format: read by columns
const CHILDREN: Table = {
  //                    PATCH   +package child
  new:                 ['ok',   'ok',   'kin'],
  awaiting_assignment: ['ok',   'ok',   'kin'],
  assigned:            ['edit', 'edit', 'kin'],
  accepted:            ['edit', 'edit', 'kin'],
  in_transit:          ['edit', 'edit', 'kin'],
  completed:           ['edit', 'edit', 'kin'],
  cancelled:           ['edit', 'edit', 'kin'],
};
const FORBIDDEN: Row = ['403', '403', '403'];
const MISSING: Row = ['404', '404', '404'];

const OFFICE = CALLER_ROLES.filter((role) => role !== 'agent').map((role) => callerOf(role));
const OWNER = callerOf('agent', OWN_AGENT);
const STRANGER = callerOf('agent', OTHER_AGENT);
const NO_AGENT = callerOf('agent', null);

type Action = (draft: Draft, context: DecideContext, taskId: number, caller: Caller) => Decision;

/** The columns of the tables. */
const ACTIONS: readonly Action[] = [
  (draft, context, taskId, caller) =>
    decideUpdateTask(draft, { kind: 'update-task', caller, taskId, input: { notes: 'ring', location: null } }, context),
  (draft, context, taskId, caller) =>
    decideAddPackage(draft, { kind: 'add-package', caller, taskId, input: { name: 'one more' } }, context),
  (draft, context, parentId, caller) =>
    decideCreateTask(
      draft,
      { kind: 'create-task', caller, input: { name: 'a part', taskType: 'delivery', customerId: 9, parentId } },
      context,
    ),
];

const CELL_BY_CODE: Readonly<Record<string, Cell>> = {
  TASK_NOT_EDITABLE: 'edit',
  INVALID_PARENT: 'kin',
  VALIDATION_FAILED: '400',
  FORBIDDEN: '403',
  NOT_FOUND: '404',
};

/** The outcome. A refusal with drafted changes, or a change without an event, is a failure by itself. */
function cellOf(decision: Decision, { changes }: Draft): Cell {
  if (!decision.ok) {
    assert.deepEqual(changes, [], 'a refusal changes nothing');
    const cell = CELL_BY_CODE[decision.refusal.code];
    assert.ok(cell, decision.refusal.code);
    return cell;
  }
  assertTold(changes);
  assert.notEqual(changes.length, 0);
  return 'ok';
}

function assertTold(changes: readonly Change[]): void {
  const told = new Set(changes.flatMap((change) => (change.kind === 'tell' ? [change.taskId] : [])));
  for (const change of changes) if (change.kind === 'put-task') assert.ok(told.has(change.task.id));
}

function rowOf(shape: Shape, status: TaskStatus, caller: Caller, taskId = TASK): Cell[] {
  return ACTIONS.map((action) => {
    const { decision, draft } = decideOn(stateWith(shape, status), (own, context) =>
      action(own, context, taskId, caller),
    );
    return cellOf(decision, draft);
  });
}

const WHOSE: readonly (readonly [shape: Shape, name: string, office: Table, hasAgent: boolean])[] = [
  ['unserved', 'a task without courier', TASKS, false],
  ['by an agent', 'an agent’s task', TASKS, true],
  ['by an external courier', 'an external courier’s task', TASKS, false],
  ['a job', 'a job', JOBS, false],
  ['a child', 'a child of a job', CHILDREN, true],
];

for (const [shape, name, office] of WHOSE) {
  for (const status of TASK_STATUSES) {
    test(`${name} in ${status} is edited and extended by the office alone`, () => {
      for (const caller of OFFICE) assert.deepEqual(rowOf(shape, status, caller), office[status], caller.role);
      for (const caller of [OWNER, STRANGER, NO_AGENT]) assert.deepEqual(rowOf(shape, status, caller), FORBIDDEN);
    });
  }
}

test('a task that is not there is neither edited nor extended', () => {
  for (const caller of OFFICE) assert.deepEqual(rowOf('unserved', 'new', caller, 999), MISSING, caller.role);
  assert.deepEqual(rowOf('unserved', 'new', OWNER, 999), FORBIDDEN);
});

/** A step of each kind; `$` needs a task with an amount. The whole 13 × 13 stand in package-machine.test.ts. */
const STEPS: readonly (readonly [from: PackageStatus, to: PackageStatus, plain: string, withAmount: string])[] = [
  ['pending', 'picking_up', 'ok', 'ok'],
  ['delivering', 'collecting_payment', 'INVALID_PACKAGE_TRANSITION', 'ok'],
  ['pending', 'pending', 'same', 'same'],
  ['cancelled', 'pending', 'INVALID_PACKAGE_TRANSITION', 'INVALID_PACKAGE_TRANSITION'],
];

function stepOf(shape: Shape, [from, to]: (typeof STEPS)[number], hasAmount: boolean, status: TaskStatus, by: Caller) {
  const state = stateWith(shape, status, { packageStatus: from, hasAmount });
  const { decision, draft } = decideOn(state, (own, context) =>
    decideChangePackageStatus(
      own,
      { kind: 'change-package-status', caller: by, packageId: PACKAGE, input: { status: to } },
      context,
    ),
  );
  if (!decision.ok) {
    assert.deepEqual(draft.changes, []);
    return decision.refusal.code;
  }
  assertTold(draft.changes);
  return draft.changes.length === 0 ? 'same' : 'ok';
}

describe('the steps of a package', () => {
  for (const [shape, name, , hasAgent] of WHOSE) {
    for (const step of STEPS) {
      const [from, to, plain, withAmount] = step;
      test(`of ${name} from ${from} to ${to}, in every status of the task and for every caller`, () => {
        for (const status of TASK_STATUSES) {
          for (const caller of OFFICE) {
            assert.equal(stepOf(shape, step, false, status, caller), plain, `${caller.role}, ${status}`);
            assert.equal(stepOf(shape, step, true, status, caller), withAmount, `${caller.role}, ${status}, amount`);
          }
          // An agent moves the packages of a task that it has accepted.
          const isEarly = status === 'assigned' && from !== to;
          for (const [hasAmount, expected] of hasAgent
            ? ([
                [false, plain],
                [true, withAmount],
              ] as const)
            : []) {
            const own = isEarly ? 'INVALID_PACKAGE_TRANSITION' : expected;
            assert.equal(stepOf(shape, step, hasAmount, status, OWNER), own, `agent, ${status}, ${hasAmount}`);
          }
          const strangers = hasAgent ? [STRANGER, NO_AGENT] : [OWNER, STRANGER, NO_AGENT];
          for (const caller of strangers) assert.equal(stepOf(shape, step, true, status, caller), 'NOT_FOUND');
        }
      });
    }
  }
});

describe('a new task', () => {
  const cash = { name: 'Collect', taskType: 'cash_drop', amount: 5 } as const;
  const delivery = { name: 'Bring', taskType: 'delivery', customerId: 9 } as const;
  const LATER = '2031-05-01T12:00:00.001Z';
  const LATE = { timeToServe: 'scheduled', scheduledAt: '2031-05-01T11:59:59.999Z' } as const;
  for (const [name, input, office] of [
    ['a delivery', delivery, 'ok'],
    ['a cash task', cash, 'ok'],
    ['a delivery with a part that is a cash task', { ...delivery, children: [cash] }, 'ok'],
    ['a delivery for later', { ...delivery, timeToServe: 'scheduled', scheduledAt: LATER }, 'ok'],
    ['a delivery for this very moment', { ...delivery, timeToServe: 'scheduled', scheduledAt: NOW }, '400'],
    ['an asap delivery with a time that has passed', { ...delivery, scheduledAt: NOW }, 'ok'],
    ['a job with a part whose time has passed', { ...delivery, children: [{ ...delivery, ...LATE }] }, '400'],
  ] as const) {
    test(`the answer for a task that is ${name} is the same for every caller`, () => {
      for (const caller of [...OFFICE, OWNER, NO_AGENT]) {
        const { decision, draft } = decideOn(stateWith('unserved', 'new'), (own, context) =>
          decideCreateTask(own, { kind: 'create-task', caller, input }, context),
        );
        assert.equal(cellOf(decision, draft), caller.role === 'agent' ? '403' : office, caller.role);
      }
    });
  }
});

test('a step accepts an offer before its end, and is refused from then on, also before any timer', () => {
  const accept = (expiresAt: string) => {
    const search = searchThatAsks(openRequest({ expiresAt }));
    const input = { status: 'accepted' } as const;
    const { decision } = decideOn(stateWith('by an agent', 'assigned', { fields: { search } }), (draft, context) =>
      decideChangeTaskStatus(
        draft,
        { kind: 'change-task-status', caller: callerOf('agent', OWN_AGENT), taskId: TASK, input },
        context,
      ),
    );
    return decision.ok || decision.refusal.code;
  };
  assert.equal(accept(at(13)), true);
  for (const expiresAt of [NOW, at(11)]) assert.equal(accept(expiresAt), 'ASSIGNMENT_REQUEST_EXPIRED', expiresAt);
});

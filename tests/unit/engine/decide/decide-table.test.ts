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
  callerOf,
  decideOn,
  NOW,
  OTHER_AGENT,
  OWN_AGENT,
  PACKAGE,
  type Shape,
  stateWith,
  TASK,
} from './decide-fixture.ts';

/**
 * The decisions of the engine (docs/contract.md §2 and §3), for every status, action and kind of caller.
 * ok: changes · same: 200, nothing changes · edit: 409 TASK_NOT_EDITABLE · kin: 409 INVALID_PARENT
 * · no: 409 INVALID_STATUS_TRANSITION · crew: 409 AGENT_REQUIRED · job: 409 STATUS_DERIVED · 400, 403 and 404: plain.
 */
type Cell = 'ok' | 'same' | 'edit' | 'kin' | 'no' | 'crew' | 'job' | '400' | '403' | '404';
type Row = readonly Cell[];
type Table = Readonly<Record<TaskStatus, Row>>;

// biome-ignore format: read by columns
const UNSERVED: Table = {
  //                    PATCH   +package child  | PUT: new await assgn accpt   trans   compl   cancl
  new:                 ['ok',   'ok',   'ok',    'no', 'no', 'no', 'no',   'crew', 'no',   'ok'],
  awaiting_assignment: ['ok',   'ok',   'ok',    'no', 'no', 'no', 'no',   'crew', 'no',   'ok'],
  assigned:            ['edit', 'edit', 'kin',   'no', 'no', 'no', 'ok',   'crew', 'no',   'ok'],
  accepted:            ['edit', 'edit', 'kin',   'no', 'no', 'no', 'same', 'crew', 'no',   'ok'],
  in_transit:          ['edit', 'edit', 'kin',   'no', 'no', 'no', 'no',   'crew', 'ok',   'ok'],
  completed:           ['edit', 'edit', 'kin',   'no', 'no', 'no', 'no',   'crew', 'same', 'no'],
  cancelled:           ['edit', 'edit', 'kin',   'no', 'no', 'no', 'no',   'crew', 'no',   'no'],
};
// biome-ignore format: read by columns
const SERVED: Table = {
  //                    PATCH   +package child  | PUT: new await assgn accpt   trans   compl   cancl
  new:                 ['ok',   'ok',   'ok',    'no', 'no', 'no', 'no',   'no',   'no',   'ok'],
  awaiting_assignment: ['ok',   'ok',   'ok',    'no', 'no', 'no', 'no',   'no',   'no',   'ok'],
  assigned:            ['edit', 'edit', 'kin',   'no', 'no', 'no', 'ok',   'no',   'no',   'ok'],
  accepted:            ['edit', 'edit', 'kin',   'no', 'no', 'no', 'same', 'ok',   'no',   'ok'],
  in_transit:          ['edit', 'edit', 'kin',   'no', 'no', 'no', 'no',   'same', 'ok',   'ok'],
  completed:           ['edit', 'edit', 'kin',   'no', 'no', 'no', 'no',   'no',   'same', 'no'],
  cancelled:           ['edit', 'edit', 'kin',   'no', 'no', 'no', 'no',   'no',   'no',   'no'],
};
// biome-ignore format: read by columns
const JOBS: Table = {
  //                    PATCH   +package child  | PUT: new    await  assgn  accpt  trans  compl  cancl
  new:                 ['ok',   'ok',   'ok',    'job', 'job', 'job', 'job', 'job', 'job', 'ok'],
  awaiting_assignment: ['ok',   'ok',   'ok',    'job', 'job', 'job', 'job', 'job', 'job', 'ok'],
  assigned:            ['edit', 'edit', 'ok',    'job', 'job', 'job', 'job', 'job', 'job', 'ok'],
  accepted:            ['edit', 'edit', 'ok',    'job', 'job', 'job', 'job', 'job', 'job', 'ok'],
  in_transit:          ['edit', 'edit', 'ok',    'job', 'job', 'job', 'job', 'job', 'job', 'ok'],
  completed:           ['edit', 'edit', 'kin',   'job', 'job', 'job', 'job', 'job', 'job', 'no'],
  cancelled:           ['edit', 'edit', 'kin',   'job', 'job', 'job', 'job', 'job', 'job', 'no'],
};
// biome-ignore format: read by columns
const CHILDREN: Table = {
  //                    PATCH   +package child  | PUT: new await assgn accpt   trans   compl   cancl
  new:                 ['ok',   'ok',   'kin',   'no', 'no', 'no', 'no',   'no',   'no',   'ok'],
  awaiting_assignment: ['ok',   'ok',   'kin',   'no', 'no', 'no', 'no',   'no',   'no',   'ok'],
  assigned:            ['edit', 'edit', 'kin',   'no', 'no', 'no', 'ok',   'no',   'no',   'ok'],
  accepted:            ['edit', 'edit', 'kin',   'no', 'no', 'no', 'same', 'ok',   'no',   'ok'],
  in_transit:          ['edit', 'edit', 'kin',   'no', 'no', 'no', 'no',   'same', 'ok',   'ok'],
  completed:           ['edit', 'edit', 'kin',   'no', 'no', 'no', 'no',   'no',   'same', 'no'],
  cancelled:           ['edit', 'edit', 'kin',   'no', 'no', 'no', 'no',   'no',   'no',   'no'],
};
// biome-ignore format: read by columns
const OWN_OF_AGENT: Table = {
  //                    PATCH  +package child | PUT: new await assgn accpt   trans   compl   cancl
  new:                 ['403', '403', '403',   'no', 'no', 'no', 'no',   'no',   'no',   '403'],
  awaiting_assignment: ['403', '403', '403',   'no', 'no', 'no', 'no',   'no',   'no',   '403'],
  assigned:            ['403', '403', '403',   'no', 'no', 'no', 'ok',   'no',   'no',   '403'],
  accepted:            ['403', '403', '403',   'no', 'no', 'no', 'same', 'ok',   'no',   '403'],
  in_transit:          ['403', '403', '403',   'no', 'no', 'no', 'no',   'same', 'ok',   '403'],
  completed:           ['403', '403', '403',   'no', 'no', 'no', 'no',   'no',   'same', '403'],
  cancelled:           ['403', '403', '403',   'no', 'no', 'no', 'no',   'no',   'no',   '403'],
};
const HIDDEN: Row = ['403', '403', '403', '404', '404', '404', '404', '404', '404', '403'];
const MISSING: Row = ['404', '404', '404', '404', '404', '404', '404', '404', '404', '404'];

/** The column of the step that an integration never makes: staff accept for an agent, and integrations do not. */
const ACCEPTANCE = 3 + TASK_STATUSES.indexOf('accepted');

function asIn(row: Row, { role }: Caller): Row {
  return role === 'integration' ? row.with(ACCEPTANCE, '403') : row;
}

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
  ...TASK_STATUSES.map(
    (status): Action =>
      (draft, context, taskId, caller) =>
        decideChangeTaskStatus(draft, { kind: 'change-task-status', caller, taskId, input: { status } }, context),
  ),
];

const CELL_BY_CODE: Readonly<Record<string, Cell>> = {
  TASK_NOT_EDITABLE: 'edit',
  INVALID_PARENT: 'kin',
  INVALID_STATUS_TRANSITION: 'no',
  AGENT_REQUIRED: 'crew',
  STATUS_DERIVED: 'job',
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
  return changes.length === 0 ? 'same' : 'ok';
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

const WHOSE: readonly (readonly [shape: Shape, name: string, office: Table, owner: Table | undefined])[] = [
  ['unserved', 'a task without courier', UNSERVED, undefined],
  ['by an agent', 'an agent’s task', SERVED, OWN_OF_AGENT],
  ['by an external courier', 'an external courier’s task', SERVED, undefined],
  ['a job', 'a job', JOBS, undefined],
  ['a child', 'a child of a job', CHILDREN, OWN_OF_AGENT],
];

for (const [shape, name, office, owner] of WHOSE) {
  describe(`${name}:`, () => {
    for (const status of TASK_STATUSES) {
      for (const caller of OFFICE) {
        test(`in ${status}, all that ${caller.role} may ask for`, () => {
          assert.deepEqual(rowOf(shape, status, caller), asIn(office[status], caller));
        });
      }
      test(`in ${status}, all that ${owner ? 'its own agent' : 'an agent'} may ask for`, () => {
        assert.deepEqual(rowOf(shape, status, OWNER), owner?.[status] ?? HIDDEN);
      });
      test(`in ${status}, nothing that another agent may ask for`, () => {
        assert.deepEqual(rowOf(shape, status, STRANGER), HIDDEN);
        assert.deepEqual(rowOf(shape, status, NO_AGENT), HIDDEN);
      });
    }
  });
}

describe('a task that is not there:', () => {
  for (const caller of OFFICE) {
    test(`${caller.role} gets this refusal`, () => {
      assert.deepEqual(rowOf('unserved', 'new', caller, 999), asIn(MISSING, caller));
    });
  }
  test('an agent cannot tell it from another agent’s', () => {
    assert.deepEqual(rowOf('unserved', 'new', OWNER, 999), HIDDEN);
  });
});

/** Steps of a package; `$` needs a task with an amount. The whole 13 × 13 stand in package-machine.test.ts. */
const STEPS: readonly (readonly [from: PackageStatus, to: PackageStatus, plain: string, withAmount: string])[] = [
  ['pending', 'picking_up', 'ok', 'ok'],
  ['picking_up', 'picked_up', 'ok', 'ok'],
  ['picked_up', 'delivering', 'ok', 'ok'],
  ['delivering', 'delivered', 'ok', 'ok'],
  ['pending', 'cancelled', 'ok', 'ok'],
  ['picked_up', 'returned', 'ok', 'ok'],
  ['damaged', 'returned', 'ok', 'ok'],
  ['delivering', 'lost', 'ok', 'ok'],
  ['picked_up', 'damaged', 'ok', 'ok'],
  ['delivering', 'collecting_payment', 'INVALID_PACKAGE_TRANSITION', 'ok'],
  ['collecting_payment', 'payment_collected', 'INVALID_PACKAGE_TRANSITION', 'ok'],
  ['payment_collected', 'delivered', 'INVALID_PACKAGE_TRANSITION', 'ok'],
  ['delivered', 'dropping_payment', 'INVALID_PACKAGE_TRANSITION', 'ok'],
  ['dropping_payment', 'payment_dropped', 'INVALID_PACKAGE_TRANSITION', 'ok'],
  ['pending', 'pending', 'same', 'same'],
  ['pending', 'delivered', 'INVALID_PACKAGE_TRANSITION', 'INVALID_PACKAGE_TRANSITION'],
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
  for (const [shape, name, , owner] of WHOSE) {
    for (const step of STEPS) {
      const [from, to, plain, withAmount] = step;
      test(`of ${name} from ${from} to ${to}, in every status of the task and for every caller`, () => {
        for (const status of TASK_STATUSES) {
          for (const caller of [...OFFICE, ...(owner ? [OWNER] : [])]) {
            assert.equal(stepOf(shape, step, false, status, caller), plain, `${caller.role}, ${status}`);
            assert.equal(stepOf(shape, step, true, status, caller), withAmount, `${caller.role}, ${status}, amount`);
          }
          const strangers = owner ? [STRANGER, NO_AGENT] : [OWNER, STRANGER, NO_AGENT];
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

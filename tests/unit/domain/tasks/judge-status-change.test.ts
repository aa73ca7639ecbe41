import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Actor,
  checkStep,
  judgeStatusChange,
  type Verdict,
} from '../../../../engine/domain/tasks/task-machine.ts';
import { CALLER_ROLES } from '../../../../schema/accounts/role.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../../schema/tasks/task.ts';
import { type Cell, HIDDEN, JOB, NOT_SERVED, OWN_OF_AGENT, SERVED, UNKNOWN } from '../../../support/status-table.ts';

/** The `details.allowed` of a task in each status. */
const NEXT: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  new: ['awaiting_assignment', 'assigned', 'cancelled'],
  awaiting_assignment: ['assigned', 'cancelled'],
  assigned: ['awaiting_assignment', 'accepted', 'cancelled'],
  accepted: ['awaiting_assignment', 'in_transit', 'cancelled'],
  in_transit: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

const BY_AGENT = { agentId: 7, courierId: null, childIds: null };
const BY_EXTERNAL_COURIER = { agentId: null, courierId: 3, childIds: null };
const BY_NOBODY = { agentId: null, courierId: null, childIds: null };
const OF_CHILDREN = { agentId: null, courierId: null, childIds: [11, 12] };
const OFFICE = CALLER_ROLES.filter((role) => role !== 'agent');
const AGENT: Actor = { role: 'agent', agentId: 7 };
const DISPATCHER: Actor = { role: 'dispatcher', agentId: null };

function cellOf(verdict: Verdict): Cell {
  switch (verdict.kind) {
    case 'change':
      return 'yes';
    case 'unchanged':
      return 'same';
    case 'forbidden':
      return '403';
    case 'not-found':
      return '404';
    case 'refused':
      if (verdict.refusal.code === 'AGENT_REQUIRED') return 'crew';
      if (verdict.refusal.code === 'STATUS_DERIVED') return 'job';
      assert.equal(verdict.refusal.code, 'INVALID_STATUS_TRANSITION');
      return 'no';
  }
}

function rowOf(task: Parameters<typeof judgeStatusChange>[0], caller: Actor): Cell[] {
  return TASK_STATUSES.map((to) => cellOf(judgeStatusChange(task, to, caller)));
}

describe('the changes that the office may ask for', () => {
  for (const role of OFFICE) {
    const caller: Actor = { role, agentId: null };
    for (const [kind, table, task] of [
      ['an agent’s task', SERVED, BY_AGENT],
      ['an external courier’s task', SERVED, BY_EXTERNAL_COURIER],
      ['a task without courier', NOT_SERVED, BY_NOBODY],
      ['a job', JOB, OF_CHILDREN],
    ] as const) {
      for (const status of TASK_STATUSES) {
        test(`${role} asks for each status of ${kind} in ${status}`, () => {
          assert.deepEqual(rowOf({ ...task, status }, caller), asAnswered(table[status], role));
        });
      }
    }
    test(`${role} gets 404 for a task that is not there`, () => {
      assert.deepEqual(rowOf(undefined, caller), asAnswered(UNKNOWN, role));
    });
  }

  /** An integration never accepts for an agent, whichever task it is. */
  function asAnswered(row: readonly Cell[], role: Actor['role']): readonly Cell[] {
    const accepting = TASK_STATUSES.indexOf('accepted');
    return role === 'integration' ? row.with(accepting, '403') : row;
  }
});

describe('the changes that an agent may ask for', () => {
  for (const status of TASK_STATUSES) {
    test(`an agent asks for each status of an own task in ${status}`, () => {
      assert.deepEqual(rowOf({ ...BY_AGENT, status }, AGENT), OWN_OF_AGENT[status]);
    });

    for (const [whose, task] of [
      ['another agent’s task', { ...BY_AGENT, agentId: 8 }],
      ['an external courier’s task', BY_EXTERNAL_COURIER],
      ['nobody’s task', BY_NOBODY],
      ['a job', OF_CHILDREN],
    ] as const) {
      test(`an agent cannot tell ${whose} in ${status} from one that is not there`, () => {
        assert.deepEqual(rowOf({ ...task, status }, AGENT), HIDDEN);
        assert.deepEqual(rowOf(undefined, AGENT), HIDDEN);
      });
    }

    test(`an agent account without an agent owns no task in ${status}`, () => {
      assert.deepEqual(rowOf({ ...BY_NOBODY, status }, { role: 'agent', agentId: null }), HIDDEN);
    });
  }
});

describe('the details of a refusal', () => {
  for (const from of TASK_STATUSES) {
    test(`a task in ${from} tells what is allowed with each refusal`, () => {
      for (const to of TASK_STATUSES.filter((_, column) => SERVED[from][column] === 'no')) {
        const verdict = judgeStatusChange({ ...BY_AGENT, status: from }, to, DISPATCHER);
        assert.ok(verdict.kind === 'refused', to);
        assert.deepEqual(verdict.refusal.details, { from, to, allowed: NEXT[from] });
      }
    });
  }

  for (const [from, to, message] of [
    ['completed', 'cancelled', 'The task is already completed'],
    ['cancelled', 'accepted', 'The task is already cancelled'],
    ['new', 'completed', 'A task in new cannot become completed'],
    ['new', 'assigned', 'A task becomes assigned by being assigned, not by a status request'],
    [
      'accepted',
      'awaiting_assignment',
      'A task becomes awaiting_assignment when a courier is looked for or taken off it, not by a status request',
    ],
  ] as const) {
    test(`a task in ${from} asked for ${to} says why not`, () => {
      const verdict = judgeStatusChange({ ...BY_AGENT, status: from }, to, DISPATCHER);
      assert.ok(verdict.kind === 'refused');
      assert.equal(verdict.refusal.message, message);
    });
  }

  for (const [status, allowed] of [
    ['in_transit', ['cancelled']],
    ['completed', []],
  ] as const) {
    test(`a job in ${status} asked for completed tells that ${allowed.length ? 'it can be cancelled' : 'nothing is allowed'}`, () => {
      const verdict = judgeStatusChange({ ...OF_CHILDREN, status }, 'completed', DISPATCHER);
      assert.ok(verdict.kind === 'refused');
      assert.deepEqual(verdict.refusal.details, { from: status, to: 'completed', allowed });
    });
  }
});

for (const from of TASK_STATUSES) {
  test(`of steps that are not asked for by status a task in ${from} takes those of its table, and a job its cancellation`, () => {
    for (const to of TASK_STATUSES) {
      const refused = NEXT[from].includes(to) ? undefined : 'INVALID_STATUS_TRANSITION';
      assert.equal(checkStep({ status: from, childIds: null }, to)?.code, refused, to);
      const onJob = to === 'cancelled' ? refused : 'STATUS_DERIVED';
      assert.equal(checkStep({ status: from, childIds: [11] }, to)?.code, onJob, `a job, ${to}`);
    }
  });
}

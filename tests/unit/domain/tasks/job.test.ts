import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkNewChildren, deriveJob, jobOutcome, jobStatus } from '../../../../engine/domain/tasks/job.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { CASH_TASK_TYPES, isTerminal, TASK_STATUSES, type TaskStatus } from '../../../../schema/tasks/task.ts';

const SEED = 20_261_122;

const children = (...statuses: TaskStatus[]) => statuses.map((status) => ({ status }));
const someStatuses = fc.array(fc.constantFrom(...TASK_STATUSES), { minLength: 1, maxLength: LIMITS.jobChildren });

describe('the status of a job', () => {
  for (const [expected, ...statuses] of [
    ['new', 'new'],
    ['new', 'new', 'cancelled'],
    ['awaiting_assignment', 'new', 'awaiting_assignment'],
    ['assigned', 'assigned', 'awaiting_assignment', 'cancelled'],
    ['accepted', 'new', 'accepted', 'assigned'],
    ['in_transit', 'new', 'in_transit'],
    ['in_transit', 'in_transit', 'completed'],
    ['in_transit', 'new', 'completed'],
    ['in_transit', 'accepted', 'completed', 'cancelled'],
    ['completed', 'completed', 'cancelled'],
    ['completed', 'completed', 'completed'],
    ['cancelled', 'cancelled', 'cancelled'],
  ] as const) {
    test(`of children in ${statuses.join(', ')} is ${expected}`, () => {
      assert.equal(jobStatus(children(...statuses)), expected);
    });
  }

  test('of a single child is that of the child', () => {
    for (const status of TASK_STATUSES) assert.equal(jobStatus(children(status)), status);
  });

  test('the status of a job is terminal exactly when all children are', () => {
    fc.assert(
      fc.property(someStatuses, (statuses) => {
        assert.equal(isTerminal(jobStatus(children(...statuses))), statuses.every(isTerminal));
      }),
      { seed: SEED },
    );
  });

  test('the status of a job does not depend on the order of the children', () => {
    fc.assert(
      fc.property(someStatuses, (statuses) => {
        assert.equal(jobStatus(children(...statuses)), jobStatus(children(...statuses.toReversed())));
      }),
      { seed: SEED },
    );
  });

  test('the status of a job is not moved by a further cancelled child', () => {
    fc.assert(
      fc.property(someStatuses, (statuses) => {
        assert.equal(jobStatus(children(...statuses, 'cancelled')), jobStatus(children(...statuses)));
      }),
      { seed: SEED },
    );
  });

  test('the status of a job is that of its furthest open child, or further', () => {
    fc.assert(
      fc.property(someStatuses, (statuses) => {
        const open = statuses.filter((status) => !isTerminal(status)).map((status) => TASK_STATUSES.indexOf(status));
        fc.pre(open.length > 0);
        const place = TASK_STATUSES.indexOf(jobStatus(children(...statuses)));
        assert.ok(place >= Math.max(...open) && place <= TASK_STATUSES.indexOf('in_transit'));
      }),
      { seed: SEED },
    );
  });

  test('of no children is a mistake of the caller', () => {
    assert.throws(() => jobStatus([]), RangeError);
  });
});

describe('the outcome of a job', () => {
  const child = (status: TaskStatus, outcome: 'succeeded' | 'failed' | null = null) => ({ status, outcome });

  for (const [name, family, outcome, failureReason] of [
    ['under way is open', [child('completed', 'failed'), child('assigned')], null, null],
    ['cancelled is none', [child('cancelled')], null, null],
    ['without failures is success', [child('completed', 'succeeded'), child('cancelled')], 'succeeded', null],
    [
      'with one failure is failure',
      [child('completed', 'succeeded'), child('completed', 'failed'), child('cancelled')],
      'failed',
      '1 of 2 completed tasks failed',
    ],
  ] as const) {
    test(name, () => assert.deepEqual(jobOutcome(family), { outcome, failureReason }));
  }
});

describe('the view of a job on its children', () => {
  const NEVER = {
    outcome: null,
    assignedAt: null,
    acceptedAt: null,
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
  };
  const at = (minute: number) => `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000Z`;

  test('is the first time of each step, without an end while a child is open', () => {
    const done = { assignedAt: at(1), acceptedAt: at(4), startedAt: at(5), completedAt: at(9), outcome: 'succeeded' };
    const family = [
      { ...NEVER, ...done, status: 'completed', outcome: 'succeeded' },
      { ...NEVER, status: 'accepted', assignedAt: at(2), acceptedAt: at(3) },
    ] as const;
    assert.deepEqual(deriveJob(family), {
      status: 'in_transit',
      outcome: null,
      failureReason: null,
      assignedAt: at(1),
      acceptedAt: at(3),
      startedAt: at(5),
      completedAt: null,
      cancelledAt: null,
    });
  });

  test('is the last completion once all children have ended', () => {
    const done = { ...NEVER, status: 'completed', outcome: 'succeeded' } as const;
    const family = [
      { ...done, completedAt: at(9) },
      { ...done, completedAt: at(7) },
    ];
    assert.equal(deriveJob(family).completedAt, at(9));
  });

  test('is the cancellation of the last open child where others are completed', () => {
    const done = { ...NEVER, status: 'completed', outcome: 'succeeded', completedAt: at(8) } as const;
    const cancelled = { ...NEVER, status: 'cancelled' } as const;
    assert.equal(deriveJob([done, { ...cancelled, cancelledAt: at(9) }]).completedAt, at(9));
    assert.equal(deriveJob([done, { ...cancelled, cancelledAt: at(7) }]).completedAt, at(8));
  });

  test('is the last cancellation once all children are cancelled', () => {
    const cancelled = { ...NEVER, status: 'cancelled' } as const;
    const family = [
      { ...cancelled, cancelledAt: at(9) },
      { ...cancelled, cancelledAt: at(7) },
    ];
    assert.equal(deriveJob(family).cancelledAt, at(9));
    const done = { ...NEVER, status: 'completed', outcome: 'succeeded', completedAt: at(8) } as const;
    assert.equal(deriveJob([...family, done]).cancelledAt, null);
  });

  test('is nothing of a cancelled child while others go on', () => {
    const cancelled = { ...NEVER, status: 'cancelled', assignedAt: at(1), acceptedAt: at(2) } as const;
    const waiting = { ...NEVER, status: 'awaiting_assignment' } as const;
    assert.equal(deriveJob([cancelled, waiting]).assignedAt, null);
    assert.equal(deriveJob([cancelled]).assignedAt, at(1));
  });
});

describe('taking children', () => {
  const PLAIN = { id: 5, taskType: 'delivery', parentId: null, childIds: null } as const;
  const OPEN_JOB = { ...PLAIN, childIds: [11, 12] };

  for (const status of TASK_STATUSES) {
    const ofPlain = isTerminal(status) ? 'terminal' : mayBecomeJob(status) ? undefined : 'under_way';
    test(`a task in ${status} ${ofPlain ? `refuses a child: ${ofPlain}` : 'becomes a job'}`, () => {
      assert.equal(checkNewChildren({ ...PLAIN, status }, 1)?.details?.['reason'], ofPlain);
    });

    const ofJob = isTerminal(status) ? 'terminal' : undefined;
    test(`a job in ${status} ${ofJob ? 'refuses' : 'takes'} a further child`, () => {
      assert.equal(checkNewChildren({ ...OPEN_JOB, status }, 1)?.details?.['reason'], ofJob);
    });

    test(`a child in ${status} refuses children of its own with 409`, () => {
      const refused = checkNewChildren({ ...PLAIN, parentId: 4, status }, 1);
      assert.equal(refused?.code, 'INVALID_PARENT');
      assert.deepEqual(refused?.details, { parentId: 5, reason: 'is_child' });
    });

    for (const taskType of CASH_TASK_TYPES) {
      test(`a ${taskType} in ${status} refuses children with 409`, () => {
        const refused = checkNewChildren({ ...PLAIN, taskType, status }, 1);
        assert.equal(refused?.code, 'INVALID_PARENT');
        assert.deepEqual(refused?.details, { parentId: 5, reason: 'cash' });
      });
    }
  }

  test(`a job has at most ${LIMITS.jobChildren} children`, () => {
    const fullBut = (free: number) => Array.from({ length: LIMITS.jobChildren - free }, (_, index) => index + 10);
    for (const [free, wanted, reason] of [
      [1, 1, undefined],
      [0, 1, 'full'],
      [3, 3, undefined],
      [3, 4, 'full'],
    ] as const) {
      const job = { ...PLAIN, status: 'assigned', childIds: fullBut(free) } as const;
      assert.equal(checkNewChildren(job, wanted)?.details?.['reason'], reason, `${wanted} into ${free}`);
    }
  });

  function mayBecomeJob(status: TaskStatus): boolean {
    return status === 'new' || status === 'awaiting_assignment';
  }
});

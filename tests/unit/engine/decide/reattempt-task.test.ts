import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideReattemptTask } from '../../../../engine/org/decide/exceptions/reattempt-task.ts';
import { decideSettlePayment } from '../../../../engine/org/decide/money/settle-payment.ts';
import { noNeeds } from '../../../../engine/org/decide/needed-records.ts';
import { collectNeeds } from '../../../../engine/org/decide/rules.ts';
import type { OrgState } from '../../../../engine/org/state/org-state.ts';
import { CALLER_ROLES } from '../../../../schema/accounts/role.ts';
import type { ReattemptTask, SettlePayment } from '../../../../schema/commands.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { PACKAGE_STATUSES, type PackageRecord } from '../../../../schema/tasks/package.ts';
import { TASK_STATUSES, type TaskRecord } from '../../../../schema/tasks/task.ts';
import { callerOf, decideOn, NOW, OWN_AGENT, PACKAGE, stateWith, TASK, taskRecord } from './decide-fixture.ts';
import { CURRENT, type Current, drafted, PAYMENT, SYSTEM, stateOf } from './payment-fixture.ts';

const FAILED = { outcome: 'failed', failureReason: 'nobody at home' } as const;
const failed = (fields: Partial<TaskRecord> = {}) =>
  stateWith('by an agent', 'completed', { fields: { ...FAILED, ...fields } });

function reattempt(
  state: OrgState,
  input: ReattemptTask['input'] = {},
  { caller = callerOf('dispatcher'), taskId = TASK }: Partial<Pick<ReattemptTask, 'caller' | 'taskId'>> = {},
) {
  return decideOn(state, (draft, context) =>
    decideReattemptTask(draft, { kind: 'reattempt-task', caller, taskId, input }, context),
  );
}

/** The refusal of a decision, which drafts nothing. */
function refusalOf({ decision, draft }: ReturnType<typeof reattempt>) {
  assert.ok(!decision.ok);
  assert.deepEqual(draft.changes, []);
  return [decision.refusal.code, decision.refusal.details];
}

describe('a failed task', () => {
  test('a failed task is followed by a new one of the same order, which knows it', () => {
    const fields = { notes: 'ring', windowEnd: NOW, estimatedDuration: 20, requiredSkills: ['lift'], attempt: 2 };
    const { decision, draft } = reattempt(failed({ ...fields, channelId: 33, code: 'A', name: 'A' }));
    assert.ok(decision.ok && decision.status === 201 && decision.shown.kind === 'task');
    const { task } = draft.findTask(decision.shown.id)!;
    assert.deepEqual(
      [task.attempt, task.previousTaskId, task.nextTaskId, task.status, task.outcome, task.agentId, task.windowEnd],
      [3, TASK, null, 'new', null, null, null],
    );
    assert.deepEqual(
      [task.notes, task.estimatedDuration, task.requiredSkills, task.channelId, task.customerId, task.locationId],
      ['ring', 20, ['lift'], 33, 9, 20],
    );
    assert.equal(task.name, task.code, 'a name that was the code is the new code');
    assert.deepEqual([draft.findTask(TASK)!.task.nextTaskId, draft.findTask(TASK)!.task.version], [task.id, 5]);
    const told = draft.changes.flatMap((change) => (change.kind === 'tell' ? [[change.type, change.taskId]] : []));
    assert.deepEqual(told, [
      ['task.updated', TASK],
      ['task.created', task.id],
    ]);
  });

  test('a failed task is attempted at the wanted time', () => {
    const at = (hour: number) => `2031-05-02T${String(hour).padStart(2, '0')}:00:00.000Z`;
    const input = { scheduledAt: at(9), windowStart: at(9), windowEnd: at(11) };
    const { decision, draft } = reattempt(failed(), input);
    assert.ok(decision.ok && decision.shown.kind === 'task');
    const { task } = draft.findTask(decision.shown.id)!;
    assert.deepEqual(
      [task.timeToServe, task.scheduledAt, task.windowStart, task.windowEnd],
      ['scheduled', at(9), at(9), at(11)],
    );
  });

  test('a failed task is a return when its packages go back, with the places swapped', () => {
    const { decision, draft } = reattempt(failed({ pickupLocationId: 21 }), { returnToPickup: true });
    assert.ok(decision.ok && decision.shown.kind === 'task');
    const { task } = draft.findTask(decision.shown.id)!;
    assert.deepEqual([task.taskType, task.locationId, task.pickupLocationId], ['return', 21, 20]);
  });

  for (const status of PACKAGE_STATUSES) {
    const goes = status === 'cancelled' || status === 'returned';
    test(`${goes ? 'hands on' : 'keeps'} a package in ${status}`, () => {
      const state = stateWith('by an agent', 'completed', { fields: FAILED, packageStatus: status });
      const { decision, draft } = reattempt(state);
      assert.ok(decision.ok && decision.shown.kind === 'task');
      const { record } = draft.findPackage(PACKAGE)!;
      assert.deepEqual([record.taskId, record.status], goes ? [decision.shown.id, 'pending'] : [TASK, status]);
      assert.deepEqual(
        [draft.findTask(TASK)!.packages.length, draft.findTask(decision.shown.id)!.packages.length],
        goes ? [0, 1] : [1, 0],
      );
    });
  }

  for (const [status, failedAfter, goes] of [
    ['cancelled', 0, true],
    ['cancelled', 1, false],
    ['returned', 1, true],
  ] as const) {
    test(`a package that was ${status} ${failedAfter === 0 ? 'by' : 'before'} the failure ${goes ? 'goes along' : 'stays'}`, () => {
      const state = failed({ completedAt: NOW });
      const { record } = state.findPackage(PACKAGE)!;
      const updatedAt = new Date(Date.parse(NOW) - failedAfter).toISOString();
      state.apply({ kind: 'put-package', record: { ...record, status, updatedAt }, leaves: null }, 0);
      const { task, packages } = state.findTask(TASK)!;
      const changed = packages.map((one) => ({ ...one, status, updatedAt }));
      state.apply({ kind: 'put-task', task, packages: changed }, 0);
      const { decision, draft } = reattempt(state);
      assert.ok(decision.ok && decision.shown.kind === 'task');
      const left = draft.findPackage(PACKAGE)!.record;
      assert.deepEqual([left.taskId, left.status], goes ? [decision.shown.id, 'pending'] : [TASK, status]);
    });
  }
});

describe('a new attempt is refused', () => {
  test('a new attempt is refused to everybody but dispatchers and administrators', () => {
    for (const role of CALLER_ROLES) {
      const caller = callerOf(role, role === 'agent' ? OWN_AGENT : null);
      const { decision } = reattempt(failed(), {}, { caller });
      const may = !['agent', 'integration'].includes(role);
      assert.equal(decision.ok ? 'ok' : decision.refusal.code, may ? 'ok' : 'FORBIDDEN', role);
    }
  });

  test('of a task that did not fail, in every status', () => {
    for (const status of TASK_STATUSES) {
      const outcome = status === 'completed' ? 'succeeded' : null;
      const refused = refusalOf(reattempt(stateWith('by an agent', status)));
      assert.deepEqual(refused, ['TASK_NOT_FAILED', { status, outcome }]);
    }
  });

  test('of a job, whose failed children are attempted again, alone', () => {
    const refused = refusalOf(reattempt(stateWith('a job', 'completed', { fields: FAILED })));
    assert.deepEqual(refused, ['STATUS_DERIVED', { status: 'completed', outcome: 'failed' }]);
    const { decision, draft } = reattempt(stateWith('a child', 'completed', { fields: FAILED }));
    assert.ok(decision.ok && decision.shown.kind === 'task');
    assert.equal(draft.findTask(decision.shown.id)!.task.parentId, null);
  });

  test('the second time', () => {
    const refused = refusalOf(reattempt(failed({ nextTaskId: 77 })));
    assert.deepEqual(refused, ['TASK_ALREADY_REATTEMPTED', { nextTaskId: 77 }]);
  });

  test('as a return without a pickup place, and of cash', () => {
    const back = { returnToPickup: true };
    assert.deepEqual(refusalOf(reattempt(failed(), back)), ['TASK_NOT_RETURNABLE', { reason: 'no_pickup_location' }]);
    const cash = failed({ taskType: 'cash_collection', amountMinor: 500, currency: 'USD', pickupLocationId: 21 });
    assert.deepEqual(refusalOf(reattempt(cash, back)), ['TASK_NOT_RETURNABLE', { reason: 'cash' }]);
  });

  test('at times that have passed, both of which are named', () => {
    const refused = refusalOf(reattempt(stateWith('unserved', 'new'), { scheduledAt: NOW, windowEnd: NOW }));
    const violations = ['scheduledAt must be in the future', 'windowEnd must be in the future'];
    assert.deepEqual(refused, ['VALIDATION_FAILED', { violations }]);
  });

  test('of an unknown task', () => {
    assert.deepEqual(refusalOf(reattempt(failed(), {}, { taskId: 999 })), ['NOT_FOUND', undefined]);
  });

  test('above the limit of tasks', () => {
    const state = failed();
    state.organization = { ...state.organization, limits: { tasks: 0 } };
    assert.equal(refusalOf(reattempt(state))[0], 'PACKAGE_LIMIT_EXCEEDED');
  });
});

describe('money that could not be paid out, of a task that was attempted again', () => {
  const report = { kind: 'refund-failed', attempt: 1, reason: 'closed' } as const;
  const bounced: SettlePayment = { kind: 'settle-payment', caller: SYSTEM, paymentId: PAYMENT, report };
  const LATER = 31;

  interface Order {
    readonly current?: Current;
    readonly taskType?: TaskRecord['taskType'];
    /** The packages of each attempt. */
    readonly waiting?: readonly PackageRecord[];
  }

  /** The failed task and the attempts at it that memory knows: `LATER` is the payment of the last one. */
  function attempted(
    attempts: readonly Partial<TaskRecord>[],
    later: Current,
    { current = 'refunded', taskType = 'delivery', waiting = [] }: Order = {},
  ): OrgState {
    const fields = { ...FAILED, nextTaskId: TASK + 1, taskType };
    const state = stateOf('by an agent', 'completed', { current, fields });
    const first = state.bundleOf(state.findTask(TASK)!);
    for (const [index, fields] of attempts.entries()) {
      const id = TASK + 1 + index;
      const nextTaskId = index + 1 < attempts.length ? id + 1 : null;
      const paymentId = nextTaskId === null && later !== 'none' ? LATER : null;
      state.absorbTask({ ...first, packages: waiting, task: taskRecord({ id, nextTaskId, paymentId, ...fields }) });
    }
    const payment = CURRENT[later];
    if (payment) state.money.absorb({ payments: [{ ...payment, id: LATER }], accountOwners: [], balances: [] });
    return state;
  }

  /** The payments of the tasks from the first to the last, and the news. */
  function bounce(state: OrgState) {
    const settled = decideOn(state, (draft, context) => decideSettlePayment(draft, bounced, context));
    const counts = [TASK, TASK + 1, TASK + 2].map((id) => settled.draft.findTask(id)?.task.paymentId);
    const { payments, news } = drafted(settled);
    const told = settled.draft.changes.flatMap((change) =>
      change.kind === 'tell' ? [`${change.type} ${change.taskId} ${String(change.extra?.['changed'])}`] : [],
    );
    return { counts, payments, news: [...told, ...news] };
  }

  const SECOND = `task.updated ${TASK + 1} paymentId`;
  const FAILS = `payment.failed ${PAYMENT}`;
  // biome-ignore format: read by columns
  const THEN = {
    none:     [PAYMENT, [],                                [SECOND, FAILS]],
    pending:  [PAYMENT, ['online failed cancel_checkout'], [SECOND, `payment.failed ${LATER}`, FAILS]],
    declined: [PAYMENT, [],                                [SECOND, FAILS]],
    refunded: [PAYMENT, [],                                [SECOND, FAILS]],
    paid:     [LATER,   [],                                [FAILS]],
  } as const;
  for (const [later, [counts, givenUp, news]] of Object.entries(THEN))
    test(`${counts === LATER ? 'leaves' : 'pays'} the new task when its payment is ${later}`, () => {
      for (const current of ['refunded', 'being refunded'] as const) {
        const seen = bounce(attempted([{}], later as Current, { current }));
        assert.deepEqual(seen.counts, [PAYMENT, counts, undefined], current);
        assert.deepEqual(seen.payments, ['online succeeded null', ...givenUp]);
        assert.deepEqual(seen.news, news);
      }
    });

  test('pays the last of several attempts, and no return', () => {
    const back = { taskType: 'return', locationId: 21 } as const;
    assert.deepEqual(bounce(attempted([{}, {}], 'pending')).counts, [PAYMENT, null, PAYMENT]);
    assert.deepEqual(bounce(attempted([{}, back], 'none')).counts, [PAYMENT, PAYMENT, null]);
    assert.deepEqual(bounce(attempted([back], 'none')).counts, [PAYMENT, null, undefined]);
    const again = attempted([{ taskType: 'return' }, { taskType: 'return' }], 'none', { taskType: 'return' });
    assert.deepEqual(bounce(again).counts, [PAYMENT, null, PAYMENT], 'a return that was paid');
  });

  test('names the packages that it moves', () => {
    const [record] = failed().findTask(TASK)!.packages;
    const waiting = [{ ...record!, id: PACKAGE + 1, taskId: TASK + 1, status: 'collecting_payment' as const }];
    const state = attempted([{ amountMinor: 1250, currency: 'USD' }], 'none', { waiting });
    assert.deepEqual(bounce(state).news, [`task.updated ${TASK + 1} paymentId,packages`, FAILS]);
  });

  test('changes no task that memory lacks, or whose payment it lacks', () => {
    const beyond = attempted([{}, { nextTaskId: 999 }], 'none');
    assert.deepEqual(bounce(beyond).counts, [PAYMENT, null, null]);
    const unknown = attempted([{ paymentId: 998 }], 'none');
    assert.deepEqual(bounce(unknown).counts, [PAYMENT, 998, undefined]);
    for (const state of [beyond, unknown]) assert.deepEqual(bounce(state).news, [FAILS]);
  });

  test('is decided with the last attempt and its payment, which are fetched one after the other', () => {
    const wants = (state: OrgState, command: SettlePayment) => {
      const needs = noNeeds();
      collectNeeds(state, command, needs);
      return [[...needs.taskIds], [...needs.paymentIds], needs.fetches];
    };
    const beyond = attempted([{}, { nextTaskId: 999 }], 'none');
    assert.deepEqual(wants(beyond, bounced), [[999], [], LIMITS.attemptFetches]);
    assert.deepEqual(wants(attempted([{ paymentId: 998 }], 'none'), bounced), [[], [998], 1]);
    const refunded = { kind: 'refunded', attempt: 1, refundReference: 're' } as const;
    assert.deepEqual(wants(beyond, { ...bounced, report: refunded }), [[], [], 1], 'nothing more for other reports');
  });
});

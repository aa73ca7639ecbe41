import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkOccurredAt, fieldsOfStep, outcomeOf } from '../../../../engine/domain/tasks/task-machine.ts';

const SEED = 20_261_122;

const AT = '2026-11-21T10:00:00.000Z';

describe('the fields that a step writes', () => {
  for (const [to, fields] of [
    ['new', {}],
    [
      'awaiting_assignment',
      {
        agentId: null,
        courierId: null,
        courierType: 'internal',
        courier: null,
        assignedAt: null,
        acceptedAt: null,
        awaitingSince: AT,
        arrivedAt: null,
        etaAt: null,
        pickupEtaAt: null,
        pickupArrivedAt: null,
        pickedUpAt: null,
      },
    ],
    [
      'assigned',
      { assignedAt: AT, arrivedAt: null, etaAt: null, pickupEtaAt: null, pickupArrivedAt: null, pickedUpAt: null },
    ],
    ['accepted', { acceptedAt: AT }],
    ['in_transit', { startedAt: AT }],
    ['completed', { completedAt: AT }],
    ['cancelled', { cancelledAt: AT }],
  ] as const) {
    test(`a step to ${to} writes ${['status', ...Object.keys(fields)].join(', ')}`, () => {
      assert.deepEqual(fieldsOfStep(to, AT), { status: to, ...fields });
    });
  }
});

describe('when a step may have happened', () => {
  const created = {
    createdAt: '2026-11-21T08:00:00.000Z',
    awaitingSince: null,
    assignedAt: null,
    acceptedAt: null,
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
  };
  const awaiting = { ...created, awaitingSince: '2026-11-21T08:02:00.000Z' };
  const assigned = { ...awaiting, assignedAt: '2026-11-21T08:10:00.000Z' };
  const accepted = { ...assigned, acceptedAt: '2026-11-21T08:20:00.000Z' };
  const started = { ...accepted, startedAt: '2026-11-21T08:30:00.000Z' };
  const completed = { ...started, completedAt: '2026-11-21T08:40:00.000Z' };
  const cancelled = { ...created, cancelledAt: '2026-11-21T08:05:00.000Z' };
  const before = (moment: string) => `occurredAt must not be before the previous step (${moment})`;
  const future = 'occurredAt must not be in the future';

  for (const [name, task, occurredAt, expected] of [
    ['now', started, AT, undefined],
    ['a millisecond from now', started, '2026-11-21T10:00:00.001Z', future],
    ['at its creation', created, created.createdAt, undefined],
    ['before its creation', created, '2026-11-21T07:59:59.999Z', before(created.createdAt)],
    ['when it came to wait for somebody', awaiting, awaiting.awaitingSince, undefined],
    ['before it came to wait', awaiting, '2026-11-21T08:01:59.999Z', before(awaiting.awaitingSince)],
    ['at its assignment', assigned, assigned.assignedAt, undefined],
    ['before its assignment', assigned, '2026-11-21T08:09:59.999Z', before(assigned.assignedAt)],
    ['before its acceptance', accepted, '2026-11-21T08:19:59.999Z', before(accepted.acceptedAt)],
    ['before its start', started, '2026-11-21T08:29:59.999Z', before(started.startedAt)],
    ['of a job before a part was completed', completed, '2026-11-21T08:39:59.999Z', before(completed.completedAt)],
    ['of a job before a part was cancelled', cancelled, '2026-11-21T08:04:59.999Z', before(cancelled.cancelledAt)],
  ] as const) {
    test(`a step ${name} is ${expected ? 'refused' : 'taken'}`, () => {
      assert.equal(checkOccurredAt(task, occurredAt, AT), expected);
    });
  }

  test('the previous step is the latest one, for every order of reports', () => {
    const moment = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true });
    const iso = moment.map((date) => date.toISOString());
    const maybe = fc.option(iso, { nil: null });
    const made = { assignedAt: maybe, acceptedAt: maybe, startedAt: maybe, completedAt: maybe, cancelledAt: maybe };
    const task = fc.record({ createdAt: iso, awaitingSince: maybe, ...made });
    fc.assert(
      fc.property(task, iso, (times, occurredAt) => {
        const violation = checkOccurredAt(times, occurredAt, '2027-01-01T00:00:00.000Z');
        const isLate = Object.values(times).every((at) => at === null || Date.parse(at) <= Date.parse(occurredAt));
        assert.equal(violation === undefined, isLate);
      }),
      { seed: SEED },
    );
  });
});

describe('how a completed task went', () => {
  for (const [input, outcome, failureReason] of [
    [{}, 'succeeded', null],
    [{ outcome: null, failureReason: null }, 'succeeded', null],
    [{ outcome: 'succeeded' }, 'succeeded', null],
    [{ outcome: 'failed', failureReason: 'nobody there' }, 'failed', 'nobody there'],
  ] as const) {
    test(`completing with ${JSON.stringify(input)} is ${outcome}`, () => {
      assert.deepEqual(outcomeOf(input), { outcome, failureReason });
    });
  }
});

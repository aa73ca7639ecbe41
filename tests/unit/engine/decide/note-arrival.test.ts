import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Decision } from '../../../../engine/org/decide/decision.ts';
import { decideNoteArrival } from '../../../../engine/org/decide/tasks/note-arrival.ts';
import { decideNoteEta } from '../../../../engine/org/decide/tasks/note-eta.ts';
import type { Draft } from '../../../../engine/org/state/draft.ts';
import type { NoteArrival, NoteEta } from '../../../../schema/commands.ts';
import { TASK_STATUSES, type TaskRecord } from '../../../../schema/tasks/task.ts';
import { callerOf, decideOn, NOW, OTHER_AGENT, OWN_AGENT, stateWith, TASK } from './decide-fixture.ts';

const STARTED = '2031-05-01T11:30:00.000Z';
const caller = callerOf('system');
const under = (fields: Partial<TaskRecord> = {}) =>
  stateWith('by an agent', 'in_transit', { fields: { startedAt: STARTED, ...fields } });

function noteArrival(state = under(), given: Partial<NoteArrival> = {}) {
  const { agentId = OWN_AGENT, taskId = TASK, place = 'dropoff', at = '2031-05-01T11:59:00.000Z' } = given;
  const { latitude = 51.5, longitude = -0.1 } = given;
  const command = { kind: 'note-arrival', caller, taskId, agentId, place, at, latitude, longitude } as const;
  return decideOn(state, (draft, context) => decideNoteArrival(draft, command, context));
}

function noteEta(state = under(), given: Partial<NoteEta> = {}) {
  const { agentId = OWN_AGENT, taskId = TASK, etaAt = '2031-05-01T12:20:00.000Z', pickupEtaAt = null } = given;
  const command = { kind: 'note-eta', caller, taskId, agentId, etaAt, pickupEtaAt } as const;
  return decideOn(state, (draft, context) => decideNoteEta(draft, command, context));
}

function assertNothing({ decision, draft }: { decision: Decision; draft: Draft }, what: string): void {
  assert.ok(decision.ok, what);
  assert.deepEqual(draft.changes, [], what);
}

/** The task as it is written, and its events. */
function changesOf({ decision, draft }: { decision: Decision; draft: Draft }) {
  assert.ok(decision.ok);
  const [put, tell, ...more] = draft.changes;
  assert.ok(put?.kind === 'put-task' && tell?.kind === 'tell' && more.length === 0);
  return { task: put.task, tell };
}

describe('an arrival', () => {
  test('an arrival is written and told with where and when', () => {
    const { task, tell } = changesOf(noteArrival());
    const [at, position] = ['2031-05-01T11:59:00.000Z', { latitude: 51.5, longitude: -0.1 }];
    assert.deepEqual([task.arrivedAt, task.updatedAt, task.version], [at, NOW, 5]);
    assert.deepEqual(tell, {
      kind: 'tell',
      type: 'task.arrived',
      taskId: TASK,
      extra: { place: 'dropoff', agentId: OWN_AGENT, position, at },
      step: { kind: 'arrived', at, details: { place: 'dropoff', agentId: OWN_AGENT, position } },
    });
  });

  test('an arrival at the pickup is written and told the same way, once, before the goods are aboard', () => {
    const accepted = (fields: Partial<TaskRecord> = {}) => {
      const state = stateWith('by an agent', 'accepted', { fields: { acceptedAt: STARTED, ...fields } });
      const { task, location } = state.findTask(TASK)!;
      state.apply({ kind: 'put-task', task, pickupLocation: location, location: { ...location!, latitude: 52 } }, 0);
      return state;
    };
    const { task, tell } = changesOf(noteArrival(accepted(), { place: 'pickup', at: '2031-05-01T11:00:00.000Z' }));
    assert.deepEqual(
      [task.pickupArrivedAt, task.arrivedAt, task.version],
      [STARTED, null, 5],
      'never before it accepted',
    );
    assert.deepEqual([tell.extra?.['place'], tell.step.details?.['place']], ['pickup', 'pickup']);
    assertNothing(noteArrival(accepted({ pickupArrivedAt: NOW }), { place: 'pickup' }), 'again');
    assertNothing(noteArrival(accepted({ pickedUpAt: NOW }), { place: 'pickup' }), 'picked up');
    assertNothing(noteArrival(accepted()), 'at the place');
    assertNothing(noteArrival(under(), { place: 'pickup' }), 'in transit');
    assertNothing(noteArrival(stateWith('by an agent', 'assigned'), { place: 'pickup' }), 'asked');
    assertNothing(noteArrival(accepted(), { place: 'pickup', latitude: 52 }), 'at the door');
  });

  test('an arrival where the task led before its place was changed is none at the new place', () => {
    const placedAt = (latitude: number | null) => {
      const state = under();
      const { task, location } = state.findTask(TASK)!;
      state.apply({ kind: 'put-task', task, location: latitude === null ? null : { ...location!, latitude } }, 0);
      return state;
    };
    assertNothing(noteArrival(placedAt(51.6)), 'elsewhere');
    assertNothing(noteArrival(placedAt(51.502)), '222 m on');
    assertNothing(noteArrival(placedAt(null)), 'nowhere');
    assert.ok(changesOf(noteArrival(placedAt(51.501))).task.arrivedAt, '111 m on');
  });

  for (const [what, at, expected] of [
    ['that a fast clock puts into the future is now', '2031-05-01T12:00:30.000Z', NOW],
    ['that a slow clock puts before the start is at the start', '2031-05-01T11:00:00.000Z', STARTED],
  ] as const) {
    test(what, () => assert.equal(changesOf(noteArrival(under(), { at })).task.arrivedAt, expected));
  }

  test('an arrival counts in transit only', () => {
    for (const status of TASK_STATUSES.filter((one) => one !== 'in_transit')) {
      assertNothing(noteArrival(stateWith('by an agent', status)), status);
    }
  });

  test('an arrival counts once, and for the agent that has the task', () => {
    assertNothing(noteArrival(under({ arrivedAt: NOW })), 'again');
    assertNothing(noteArrival(under(), { agentId: OTHER_AGENT }), 'another agent');
    assertNothing(noteArrival(under({ agentId: null })), 'no agent');
  });

  test('of a task that is not there is refused', () => {
    const { decision, draft } = noteArrival(under(), { taskId: TASK + 50 });
    assert.ok(!decision.ok && decision.refusal.code === 'NOT_FOUND');
    assert.deepEqual(draft.changes, []);
  });
});

describe('an ETA', () => {
  test('an ETA is written and told with the one before it', () => {
    const previousEtaAt = '2031-05-01T12:15:00.000Z';
    const eta = {
      etaAt: '2031-05-01T12:20:00.000Z',
      previousEtaAt,
      pickupEtaAt: null,
      previousPickupEtaAt: null,
    };
    const { task, tell } = changesOf(noteEta(under({ etaAt: previousEtaAt })));
    assert.deepEqual([task.etaAt, task.updatedAt, task.version], [eta.etaAt, NOW, 5]);
    const step = { kind: 'eta_updated', details: eta };
    assert.deepEqual(tell, { kind: 'tell', type: 'task.eta_updated', taskId: TASK, extra: eta, step });
  });

  test('the first ETA is emitted with none before it', () => {
    assert.equal(changesOf(noteEta()).tell.extra?.['previousEtaAt'], null);
  });

  test('the ETA of the pickup is news of its own, and the last one stays when nothing is fetched any more', () => {
    const at = (time: string) => `2031-05-01T${time}:00.000Z`;
    const [etaAt, pickupEtaAt, earlier] = [at('12:20'), at('12:10'), at('12:05')];
    const { task, tell } = changesOf(noteEta(under({ etaAt, pickupEtaAt: earlier }), { pickupEtaAt }));
    assert.deepEqual([task.etaAt, task.pickupEtaAt], [etaAt, pickupEtaAt]);
    assert.equal(tell.extra?.['previousPickupEtaAt'], earlier);
    assert.equal(changesOf(noteEta(under({ pickupEtaAt: earlier }))).task.pickupEtaAt, earlier);
  });

  test('an ETA that was sent before, or nearly the same, changes nothing', () => {
    assertNothing(noteEta(under({ etaAt: '2031-05-01T12:20:00.000Z' })), 'the same');
    assertNothing(noteEta(under({ etaAt: '2031-05-01T12:19:00.000Z' })), 'nearly the same');
  });

  test('counts while an agent has the task, before the arrival, and for that agent', () => {
    for (const status of TASK_STATUSES) {
      const state = stateWith('by an agent', status);
      if (['assigned', 'accepted', 'in_transit'].includes(status))
        assert.ok(changesOf(noteEta(state)).task.etaAt, status);
      else assertNothing(noteEta(state), status);
    }
    assertNothing(noteEta(under({ arrivedAt: NOW })), 'arrived');
    assertNothing(noteEta(under(), { agentId: OTHER_AGENT }), 'another agent');
  });

  for (const [previousEtaAt, warns] of [
    [null, true],
    ['2031-05-01T12:15:00.000Z', true],
    ['2031-05-01T12:18:00.000Z', true],
    ['2031-05-01T12:25:00.000Z', false],
  ] as const) {
    test(`warns when it passes the time that is due, and only then: from ${previousEtaAt}`, () => {
      const dueAt = '2031-05-01T12:18:00.000Z';
      const { draft } = noteEta(under({ windowEnd: dueAt, etaAt: previousEtaAt }));
      const risk = { etaAt: '2031-05-01T12:20:00.000Z', dueAt };
      const step = { kind: 'at_risk', details: risk };
      assert.deepEqual(
        draft.changes.slice(2),
        warns ? [{ kind: 'tell', type: 'task.at_risk', taskId: TASK, extra: risk, step }] : [],
      );
    });
  }

  test('of a task that is not there is refused', () => {
    const { decision } = noteEta(under(), { taskId: TASK + 50 });
    assert.ok(!decision.ok && decision.refusal.code === 'NOT_FOUND');
  });
});

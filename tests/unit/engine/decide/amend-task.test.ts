import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideAmendTask } from '../../../../engine/org/decide/exceptions/amend-task.ts';
import { decideNoteEta } from '../../../../engine/org/decide/tasks/note-eta.ts';
import type { OrgState } from '../../../../engine/org/state/org-state.ts';
import { CALLER_ROLES } from '../../../../schema/accounts/role.ts';
import type { AmendTask } from '../../../../schema/commands.ts';
import { TASK_STATUSES } from '../../../../schema/tasks/task.ts';
import {
  at,
  callerOf,
  decideOn,
  NOW,
  OWN_AGENT,
  openRequest,
  PLACE,
  type Shape,
  searchThatAsks,
  stateWith,
  TASK,
} from './decide-fixture.ts';

const PERSON = { name: 'Grace', phone: { e164: '+442079460009', countryCode: '+44', number: '2079460009' } };

function amend(state: OrgState, input: AmendTask['input'], caller = callerOf('dispatcher'), taskId = TASK) {
  return decideOn(state, (draft, context) =>
    decideAmendTask(draft, { kind: 'amend-task', caller, taskId, input }, context),
  );
}

function codeOf({ decision, draft }: ReturnType<typeof amend>): string {
  if (decision.ok) return draft.changes.length === 0 ? 'same' : 'ok';
  return decision.refusal.code;
}

const SHAPES: readonly Shape[] = ['unserved', 'by an agent', 'by an external courier', 'a job', 'a child'];

describe('an amendment', () => {
  for (const shape of SHAPES) {
    test(`of ${shape} works in every open status and in no other`, () => {
      for (const status of TASK_STATUSES) {
        const { decision } = amend(stateWith(shape, status), { notes: 'ring' });
        const ended = status === 'completed' || status === 'cancelled';
        assert.equal(decision.ok ? 'ok' : decision.refusal.code, ended ? 'TASK_NOT_EDITABLE' : 'ok', status);
        if (!decision.ok) assert.equal(decision.refusal.details!['status'], status);
      }
    });
  }

  test('an amendment is for dispatchers and administrators', () => {
    for (const role of CALLER_ROLES) {
      const caller = callerOf(role, role === 'agent' ? OWN_AGENT : null);
      const may = !['agent', 'integration'].includes(role);
      assert.equal(
        codeOf(amend(stateWith('by an agent', 'accepted'), { notes: 'x' }, caller)),
        may ? 'ok' : 'FORBIDDEN',
      );
    }
  });

  test('an amendment names in its event what has changed, and nothing else', () => {
    const input = {
      notes: 'ring',
      description: null,
      location: PLACE,
      pickupLocation: PLACE,
      windowStart: at(13),
      windowEnd: at(14),
      scheduledAt: at(13),
      contact: PERSON,
    };
    const { draft } = amend(
      stateWith('by an agent', 'in_transit', {
        fields: { arrivedAt: NOW, etaAt: NOW, pickupEtaAt: NOW, pickedUpAt: NOW },
      }),
      input,
    );
    const tell = draft.changes.find((change) => change.kind === 'tell')!;
    const names = ['notes', 'windowStart', 'windowEnd', 'scheduledAt', 'timeToServe', 'contact'];
    const changed = [...names, 'location', 'pickupLocation'];
    assert.deepEqual([tell.type, tell.extra], ['task.updated', { changed, changes: changed }]);
    const { task, location, pickupLocation } = draft.findTask(TASK)!;
    assert.deepEqual(
      [task.status, task.agentId, task.contact, task.arrivedAt, task.etaAt],
      ['in_transit', OWN_AGENT, { name: 'Grace', phone: '+442079460009' }, null, null],
    );
    assert.deepEqual([task.pickupEtaAt, task.pickedUpAt], [null, NOW]);
    assert.deepEqual([location!.id, pickupLocation!.id], [task.locationId, task.pickupLocationId]);
    assert.notEqual(task.locationId, 20);
  });

  test('an amendment to what the task is already changes nothing', () => {
    const fields = { notes: 'ring', windowEnd: at(14), contact: { name: 'Grace', phone: '+442079460009' } };
    const state = stateWith('by an agent', 'accepted', { fields });
    const location = { address: '1 Main Street', latitude: 51.5, longitude: -0.1 };
    assert.equal(codeOf(amend(state, { notes: 'ring', windowEnd: at(14), contact: PERSON, location })), 'same');
    assert.equal(codeOf(amend(stateWith('by an agent', 'accepted'), { contact: null, notes: null })), 'same');
    assert.equal(codeOf(amend(state, {})), 'same');
  });

  test('an amendment clears what null clears', () => {
    const fields = { notes: 'ring', windowStart: at(13), windowEnd: at(14), contact: { name: 'G', phone: '+1' } };
    const state = stateWith('by an agent', 'accepted', { fields });
    const { draft } = amend(state, { notes: null, windowStart: null, windowEnd: null, contact: null });
    const { task } = draft.findTask(TASK)!;
    assert.deepEqual([task.notes, task.windowStart, task.windowEnd, task.contact], [null, null, null, null]);
  });
});

describe('an amendment of a task that looks for an agent', () => {
  const request = openRequest();
  const fields = { search: searchThatAsks(request), autoAssignmentStatus: 'offered' } as const;
  const offered = () => stateWith('by an agent', 'assigned', { fields });

  test('withdraws an offer for another time, and the search goes on', () => {
    const { draft } = amend(offered(), { scheduledAt: at(20) });
    const { task } = draft.findTask(TASK)!;
    assert.deepEqual(
      [task.status, task.agentId, task.autoAssignmentStatus, task.search!.open, task.search!.startsAt],
      ['awaiting_assignment', null, 'pending', [], at(19.5)],
    );
    assert.equal(draft.findRequest(request.id)!.status, 'cancelled');
    const told = draft.changes.flatMap((change) => (change.kind === 'tell' ? change.type : []));
    assert.deepEqual(told, ['task.status_changed', 'task.updated']);
  });

  test('an amendment of a task that looks for an agent leaves an offer whose task changes otherwise, and ends the search with the window', () => {
    const { draft } = amend(offered(), { notes: 'ring', windowEnd: at(15) });
    const { task } = draft.findTask(TASK)!;
    assert.deepEqual([task.status, task.agentId, task.search!.open], ['assigned', OWN_AGENT, [request]]);
    assert.equal(task.search!.until, at(15));
  });
});

describe('an amendment of a task that is expected at 15:00', () => {
  for (const [name, fields, input, warns] of [
    ['warns when it is due before that now', { windowEnd: at(16) }, { windowEnd: at(14) }, true],
    ['warns when it has a window that ends before that', {}, { windowEnd: at(14) }, true],
    ['does not warn when it is due at that time', { windowEnd: at(16) }, { windowEnd: at(15) }, false],
    ['does not warn again when it was late already', { windowEnd: at(14.5) }, { windowEnd: at(14) }, false],
    ['does not warn of a task that gets time', { windowEnd: at(14) }, { windowEnd: at(16) }, false],
    ['does not warn of another place, as nobody knows yet', {}, { windowEnd: at(14), location: PLACE }, false],
    ['does not warn of a courier who has come', { windowEnd: at(16), arrivedAt: NOW }, { windowEnd: at(14) }, false],
    ['does not warn when nothing but words change', { windowEnd: at(14) }, { notes: 'ring' }, false],
  ] as const) {
    test(`an amendment of a task that is expected at 15:00 ${name}`, () => {
      const state = stateWith('by an agent', 'accepted', { fields: { etaAt: at(15), ...fields } });
      const { draft } = amend(state, input);
      const risk = { etaAt: at(15), dueAt: at(14) };
      const told = draft.changes.filter((change) => change.kind === 'tell' && change.type === 'task.at_risk');
      const step = { kind: 'at_risk', details: risk };
      assert.deepEqual(told, warns ? [{ kind: 'tell', type: 'task.at_risk', taskId: TASK, extra: risk, step }] : []);
    });
  }
});

describe('an amendment of a place', () => {
  const told = { etaAt: at(15), pickupEtaAt: at(14), windowEnd: at(14.5) };
  for (const [name, status, fields, input, etaAt, pickupEtaAt] of [
    ['of the delivery takes back its ETA', 'accepted', {}, { location: PLACE }, null, at(14)],
    ['of the pickup takes back both ETAs', 'accepted', {}, { pickupLocation: PLACE }, null, null],
    ['of the pickup leaves the ETA of what is aboard', 'in_transit', {}, { pickupLocation: PLACE }, at(15), null],
    ['of a pickup that is done does too', 'accepted', { pickedUpAt: NOW }, { pickupLocation: PLACE }, at(15), null],
  ] as const) {
    test(`an amendment of a place ${name}`, () => {
      const { draft } = amend(stateWith('by an agent', status, { fields: { ...told, ...fields } }), input);
      const { task } = draft.findTask(TASK)!;
      assert.deepEqual([task.etaAt, task.pickupEtaAt], [etaAt, pickupEtaAt]);
    });
  }

  for (const place of ['location', 'pickupLocation'] as const) {
    test(`an amendment of the words of the ${place} leaves its visits`, () => {
      const there = { address: '1 Main Street', latitude: 51.5, longitude: -0.1 };
      const visits = { etaAt: at(15), arrivedAt: at(11.8), pickupEtaAt: at(11.4), pickupArrivedAt: at(11.5) };
      const state = stateWith('by an agent', 'in_transit', { fields: { ...visits, pickupLocationId: 21 } });
      const before = state.findTask(TASK)!;
      state.apply({ kind: 'put-task', task: before.task, pickupLocation: { ...before.location!, id: 21 } }, 0);
      for (const words of [{ apartment: '4' }, { apartment: null, address: '1a Main Street' }]) {
        const input = { ...there, ...words };
        const { draft } = amend(state, { [place]: input });
        const { task, ...places } = draft.findTask(TASK)!;
        const { etaAt, arrivedAt, pickupEtaAt, pickupArrivedAt } = task;
        assert.deepEqual({ etaAt, arrivedAt, pickupEtaAt, pickupArrivedAt }, visits);
        assert.deepEqual([places[place]!.address, places[place]!.apartment], [input.address, input.apartment]);
        const told = draft.changes.flatMap((change) => (change.kind === 'tell' ? [change.extra] : []));
        assert.deepEqual(told, [{ changed: [place], changes: [place] }]);
      }
    });

    test(`a ${place} that is sent back as answers show it has not moved`, () => {
      const exact = { latitude: 52.52000660000001, longitude: -0.0000000001 };
      const shown = { address: '1 Main Street', latitude: 52.5200066, longitude: 0 };
      const visits = { etaAt: at(15), arrivedAt: at(11.8), pickupEtaAt: at(11.4), pickupArrivedAt: at(11.5) };
      const state = stateWith('by an agent', 'in_transit', { fields: { ...visits, pickupLocationId: 21 } });
      const { task: before, location } = state.findTask(TASK)!;
      const there = { ...location!, ...exact };
      state.apply({ kind: 'put-task', task: before, location: there, pickupLocation: { ...there, id: 21 } }, 0);
      assert.equal(codeOf(amend(state, { [place]: shown })), 'same');
      const { task } = amend(state, { [place]: { ...shown, address: '1a Main Street' } }).draft.findTask(TASK)!;
      const { etaAt, arrivedAt, pickupEtaAt, pickupArrivedAt } = task;
      assert.deepEqual({ etaAt, arrivedAt, pickupEtaAt, pickupArrivedAt }, visits);
    });

    test(`a task whose ${place} has changed is warned of again when it is late again`, () => {
      const state = stateWith('by an agent', 'accepted', { fields: told });
      const { draft } = decideOn(state, (changed, context) => {
        const command = { taskId: TASK, caller: callerOf('dispatcher') };
        decideAmendTask(changed, { kind: 'amend-task', ...command, input: { [place]: PLACE } }, context);
        const eta = { etaAt: at(15), pickupEtaAt: at(14.2), agentId: OWN_AGENT };
        return decideNoteEta(changed, { kind: 'note-eta', ...command, ...eta }, context);
      });
      const types = draft.changes.flatMap((change) => (change.kind === 'tell' ? change.type : []));
      assert.deepEqual(types, ['task.updated', 'task.eta_updated', 'task.at_risk']);
    });
  }
});

describe('an amendment is refused', () => {
  const EARLY = '2031-05-01T12:30:00.000Z';
  const state = () =>
    stateWith('by an agent', 'accepted', { fields: { windowStart: at(14), windowEnd: at(16), readyAt: at(13) } });
  for (const [name, input, expected] of [
    ['whose times have passed', { scheduledAt: NOW, windowEnd: NOW }, 'VALIDATION_FAILED'],
    ['whose window would end before it begins', { windowEnd: at(14) }, 'VALIDATION_FAILED'],
    ['whose window would begin after it ends', { windowStart: at(16) }, 'VALIDATION_FAILED'],
    ['whose window would end before the task is ready', { windowStart: null, windowEnd: EARLY }, 'VALIDATION_FAILED'],
  ] as const) {
    test(name, () => {
      const { decision, draft } = amend(state(), input);
      assert.equal(decision.ok ? 'ok' : decision.refusal.code, expected);
      assert.deepEqual(draft.changes, []);
    });
  }

  test('for an unknown task', () => {
    assert.equal(codeOf(amend(state(), { notes: 'x' }, callerOf('dispatcher'), 999)), 'NOT_FOUND');
  });
});

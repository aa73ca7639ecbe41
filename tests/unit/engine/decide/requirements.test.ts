import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideChangeTaskStatus } from '../../../../engine/org/decide/tasks/change-task-status.ts';
import { noteProofRule } from '../../../../engine/org/decide/tasks/note-proof.ts';
import { scanPackageRule } from '../../../../engine/org/decide/tasks/scan-package.ts';
import type { OrgState } from '../../../../engine/org/state/org-state.ts';
import type { Caller } from '../../../../schema/commands.ts';
import { REQUIREMENTS, type Requirement } from '../../../../schema/fields/requirements.ts';
import type { ChangeStatusInput } from '../../../../schema/tasks/change-status.ts';
import type { PackageRecord } from '../../../../schema/tasks/package.ts';
import { TASK_STATUSES, type TaskRecord, type TaskStatus } from '../../../../schema/tasks/task.ts';
import { callerOf, decideOn, NOW, OTHER_AGENT, OWN_AGENT, PACKAGE, stateWith, TASK } from './decide-fixture.ts';

const AGENT = callerOf('agent', OWN_AGENT);
const DISPATCHER = callerOf('dispatcher');
const asks = (...names: Requirement[]) =>
  Object.fromEntries(REQUIREMENTS.map((name) => [name, names.includes(name)])) as Record<Requirement, boolean>;

/** A task on its way whose package is this one too. */
function underWay(fields: Partial<TaskRecord>, parcel: Partial<PackageRecord> = {}, status: TaskStatus = 'in_transit') {
  const state = stateWith('by an agent', status, { fields });
  const { packages } = state.findTask(TASK)!;
  const parcels = packages.map((one) => ({ ...one, ...parcel }));
  state.apply({ kind: 'put-task', task: state.findTask(TASK)!.task, packages: parcels }, 0);
  return state;
}

function complete(state: OrgState, input: Partial<ChangeStatusInput> = {}, caller: Caller = AGENT) {
  const command = { kind: 'change-task-status', caller, taskId: TASK } as const;
  const body = { status: 'completed', ...input } as ChangeStatusInput;
  return decideOn(state, (draft, context) => decideChangeTaskStatus(draft, { ...command, input: body }, context));
}

describe('completing a task that requires something', () => {
  const CASES: readonly [
    what: string,
    task: Partial<TaskRecord>,
    parcel: Partial<PackageRecord>,
    input: Partial<ChangeStatusInput>,
    missing: readonly Requirement[],
  ][] = [
    ['nothing', {}, {}, {}, []],
    ['a signature, which is not there', { requirements: asks('signature') }, {}, {}, ['signature']],
    ['a signature, which is there', { requirements: asks('signature'), proofs: ['signature'] }, {}, {}, []],
    ['a photo where only a signature is', { requirements: asks('photo'), proofs: ['signature'] }, {}, {}, ['photo']],
    ['the PIN', { requirements: asks('pin'), proofs: ['pin'] }, {}, {}, []],
    ['a scan of a package without a barcode', { requirements: asks('barcodes') }, {}, {}, []],
    ['a scan', { requirements: asks('barcodes') }, { barcode: 'A' }, {}, ['barcodes']],
    ['a scan that was made', { requirements: asks('barcodes') }, { barcode: 'A', scannedAt: NOW }, {}, []],
    ['a scan of a lost package', { requirements: asks('barcodes') }, { barcode: 'A', status: 'lost' }, {}, []],
    ['a note, and has an empty one', { requirements: asks('note') }, {}, { note: ' ' }, ['note']],
    ['a note', { requirements: asks('note') }, {}, { note: 'with the neighbour' }, []],
    ['everything', { requirements: asks(...REQUIREMENTS) }, { barcode: 'A' }, {}, [...REQUIREMENTS]],
    [
      'everything, and fails',
      { requirements: asks(...REQUIREMENTS) },
      { barcode: 'A' },
      { outcome: 'failed', failureReason: 'nobody at home' },
      [],
    ],
  ];

  for (const [what, fields, parcel, input, missing] of CASES)
    test(`${what}: ${missing.join(', ') || 'completed'}`, () => {
      const { decision, draft } = complete(underWay(fields, parcel), input);
      if (missing.length === 0) {
        assert.ok(decision.ok);
        return assert.equal(draft.findTask(TASK)!.task.status, 'completed');
      }
      assert.ok(!decision.ok);
      assert.deepEqual([decision.refusal.code, decision.refusal.details], ['PROOF_REQUIRED', { missing }]);
      assert.deepEqual(draft.changes, []);
    });

  test('only staff may let it succeed all the same, and the history keeps why and what was missing', () => {
    const state = underWay({ requirements: asks('photo', 'note') });
    const overrideReason = 'the camera is broken';
    for (const caller of [AGENT, callerOf('integration')]) {
      const { decision, draft } = complete(state, { overrideReason }, caller);
      assert.ok(!decision.ok && decision.refusal.code === 'FORBIDDEN');
      assert.deepEqual(draft.changes, []);
    }
    for (const caller of [DISPATCHER, callerOf('org_admin'), callerOf('super_admin')]) {
      const { decision, draft } = complete(state, { overrideReason }, caller);
      assert.ok(decision.ok);
      const [told] = draft.changes.filter((change) => change.kind === 'tell');
      const remarks = { overrideReason, missing: ['photo', 'note'] };
      assert.deepEqual(told!.step.details, { outcome: 'succeeded', ...remarks });
      assert.deepEqual(told!.extra!['overrideReason'], overrideReason);
    }
    assert.ok(!complete(state, { overrideReason: '  ' }, DISPATCHER).decision.ok, 'an empty reason is none');
  });
});

describe('scanning a package', () => {
  const scan = (state: OrgState, input: object = {}, caller: Caller = AGENT) =>
    decideOn(state, (draft, context) =>
      scanPackageRule.decide(
        draft,
        { kind: 'scan-package', caller, taskId: TASK, input: { barcode: 'A', ...input } },
        context,
      ),
    );

  test('notes when it was, as the driver says, once', () => {
    const occurredAt = '2031-05-01T11:00:00.000Z';
    const { decision, draft } = scan(underWay({}, { barcode: 'A' }), { occurredAt });
    assert.ok(decision.ok && decision.shown.kind === 'package' && decision.shown.id === PACKAGE);
    assert.deepEqual(
      draft.findTask(TASK)!.packages.map(({ scannedAt, version }) => [scannedAt, version]),
      [[occurredAt, 4]],
    );
    const [told] = draft.changes.filter((change) => change.kind === 'tell');
    assert.deepEqual([told!.type, told!.step.kind, told!.step.at], ['package.scanned', 'package_scanned', occurredAt]);
    const again = scan(underWay({}, { barcode: 'A', scannedAt: occurredAt }));
    assert.ok(again.decision.ok);
    assert.deepEqual(again.draft.changes, []);
  });

  for (const status of ['cancelled', 'returned', 'lost', 'damaged'] as const)
    test(`counts for the package that is there, then for the one that is ${status}`, () => {
      const state = underWay({ requirements: asks('barcodes') }, { barcode: 'A', status });
      const { task, packages } = state.findTask(TASK)!;
      const there = { ...packages[0]!, id: PACKAGE + 1, status: 'pending' } as const;
      state.apply({ kind: 'put-task', task, packages: [...packages, there] }, 0);
      const { decision, draft } = scan(state);
      assert.ok(decision.ok && decision.shown.kind === 'package' && decision.shown.id === there.id);
      const after = draft.findTask(TASK)!;
      state.apply({ kind: 'put-task', ...after }, 0);
      assert.ok(complete(state).decision.ok);
      const last = scan(state).decision;
      assert.ok(last.ok && last.shown.kind === 'package' && last.shown.id === PACKAGE);
    });

  const CASES: readonly (readonly [what: string, decided: () => ReturnType<typeof scan>, code: string])[] = [
    ['another barcode', () => scan(underWay({}, { barcode: 'B' })), 'BARCODE_UNKNOWN'],
    ['a package without one', () => scan(underWay({})), 'BARCODE_UNKNOWN'],
    ['the future', () => scan(underWay({}), { occurredAt: '2031-05-01T12:00:01.000Z' }), 'VALIDATION_FAILED'],
    ['the task of another agent', () => scan(underWay({}), {}, callerOf('agent', OTHER_AGENT)), 'NOT_FOUND'],
    ...TASK_STATUSES.filter((status) => !['accepted', 'in_transit', 'completed'].includes(status)).map(
      (status) =>
        [status, () => scan(underWay({}, { barcode: 'A' }, status), {}, DISPATCHER), 'PROOF_NOT_EXPECTED'] as const,
    ),
  ];
  for (const [what, decided, code] of CASES)
    test(`${what} is refused with ${code}`, () => {
      const { decision, draft } = decided();
      assert.ok(!decision.ok);
      assert.equal(decision.refusal.code, code);
      assert.deepEqual(draft.changes, []);
    });
});

test('a task knows each kind of its proofs once', () => {
  const note = (proofs: TaskRecord['proofs']) =>
    decideOn(underWay({ proofs }), (draft, context) =>
      noteProofRule.decide(draft, { kind: 'note-proof', caller: AGENT, taskId: TASK, proof: 'photo' }, context),
    ).draft;
  assert.deepEqual(note(null).findTask(TASK)!.task.proofs, ['photo']);
  assert.deepEqual(note(['pin']).findTask(TASK)!.task.proofs, ['pin', 'photo']);
  assert.deepEqual(note(['photo']).changes, []);
});

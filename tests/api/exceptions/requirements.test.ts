import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryPinOf } from '../../../engine/domain/tasks/delivery-pin.ts';
import { secretOf } from '../../../engine/views/parts/tracking-url.ts';
import type { PackageView } from '../../../schema/tasks/package.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { taskInput } from '../../support/api-client.ts';
import { seedChannel } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { type Day, dayOf } from './day-of.ts';

const fixture = useGateway();

const SIGNATURE = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')}`;
const NONE = { signature: false, photo: false, pin: false, barcodes: false, note: false };
const BOXES = [{ name: 'one', barcode: 'A-1' }, { name: 'two', barcode: 'A-2' }, { name: 'plain' }];

function driverOf(day: Day, taskId: number) {
  const { api } = day.agents[0]!;
  return {
    complete: (body: object = {}) => api.put(`/tasks/${taskId}/status`, { status: 'completed', ...body }),
    prove: (body: object) => api.post(`/tasks/${taskId}/proof`, body),
    scan: (barcode: string, occurredAt?: string) =>
      api.post<PackageView>(`/tasks/${taskId}/scans`, { barcode, occurredAt }),
  };
}

test('proofs and scans of a driver who was offline count, and a note completes the task', async () => {
  const day = await dayOf(fixture);
  const requirements = { signature: true, pin: true, barcodes: true, note: true };
  const task = await day.taskIn('in_transit', { requirements, packages: BOXES });
  assert.deepEqual([task.requirements, task.proofs], [{ ...NONE, ...requirements }, []]);
  const driver = driverOf(day, task.id);
  const before = (await day.told()).length;
  const early = await driver.complete();
  assert.deepEqual(
    [early.status, early.body.code, early.body.details],
    [409, 'PROOF_REQUIRED', { missing: ['signature', 'pin', 'barcodes', 'note'] }],
  );
  assert.deepEqual(await day.read(task.id), task);
  assert.equal((await day.told()).length, before);
  // The device was out of reach: everything comes now, the end with the time that it had.
  const doneAt = task.startedAt!;
  assert.equal((await driver.scan('A-1', doneAt)).body.data.scannedAt, doneAt);
  const stranger = await driver.scan('A-9');
  assert.deepEqual(
    [stranger.status, stranger.body.code, stranger.body.details],
    [409, 'BARCODE_UNKNOWN', { barcode: 'A-9' }],
  );
  const again = await driver.scan('A-1');
  assert.deepEqual([again.status, again.body.data.scannedAt], [200, doneAt]);
  await driver.prove({ signature: SIGNATURE });
  await driver.prove({ pin: deliveryPinOf(secretOf(task.trackingUrl)) });
  const still = await driver.complete({ occurredAt: doneAt, note: 'with the neighbour' });
  assert.deepEqual(still.body.details, { missing: ['barcodes'] });
  await driver.scan('A-2', doneAt);
  const done = await driver.complete({ occurredAt: doneAt, note: 'with the neighbour' });
  assert.deepEqual([done.status, done.body.data.completedAt], [200, doneAt], done.text);
  assert.deepEqual(done.body.data.proofs, ['signature', 'pin']);
  assert.deepEqual(
    (await day.told(before)).map(({ type }) => type),
    ['package.scanned', 'task.updated', 'task.updated', 'package.scanned', 'task.status_changed'],
  );
  const steps = await day.history(task.id);
  assert.deepEqual(
    steps.slice(-5).map(({ kind, details }) => [kind, details]),
    [
      ['package_scanned', { packageId: task.packages[0]!.id, barcode: 'A-1' }],
      ['updated', { changed: ['proofs'], proof: 'signature' }],
      ['updated', { changed: ['proofs'], proof: 'pin' }],
      ['package_scanned', { packageId: task.packages[1]!.id, barcode: 'A-2' }],
      ['status_changed', { outcome: 'succeeded', note: 'with the neighbour' }],
    ],
  );
});

test('a blank barcode is none: nobody has to scan it', async () => {
  const day = await dayOf(fixture);
  const packages = [
    { name: 'Box', barcode: 'B-1' },
    { name: 'Bag', barcode: '' },
    { name: 'Roll', barcode: ' ' },
  ];
  const created = await day.api.createTask({ packages });
  assert.deepEqual(
    created.packages.map(({ barcode }) => barcode),
    ['B-1', null, null],
  );
  const [box] = created.packages;
  const change = { packages: [{ id: box!.id, barcode: ' ' }] };
  const changed = await day.api.patch(`/tasks/${created.id}`, change);
  assert.deepEqual(
    changed.body.data.packages.map(({ barcode }) => barcode),
    [null],
  );
  const task = await day.taskIn('in_transit', { requirements: { barcodes: true }, packages });
  const driver = driverOf(day, task.id);
  assert.equal((await driver.complete()).status, 409);
  await driver.scan('B-1');
  const done = await driver.complete();
  assert.equal(done.status, 200, done.text);
});

test('tasks require what the organization does, unless their order says otherwise', async () => {
  const day = await dayOf(fixture);
  const { key } = await seedChannel(fixture.gateway.databaseUrl, day.organizationId, { role: 'org_admin' });
  const admin = fixture.clientOf(key);
  const path = `/organizations/${day.organizationId}`;
  const bad = await admin.patch(path, { settings: { requirements: { photo: 'yes' } } });
  assert.deepEqual(bad.body.message, ['settings.requirements.photo must be a boolean']);
  assert.equal((await admin.patch(path, { settings: { requirements: { photo: true } } })).status, 200);
  const usual = await day.api.createTask();
  assert.deepEqual(usual.requirements, { ...NONE, photo: true });
  const tasks = [{}, { photo: false }, { note: true }].map((requirements) => taskInput({ requirements }));
  const batch = await day.api.post<{ items: { task: TaskView }[] }>('/tasks/batch', { tasks });
  assert.deepEqual(
    batch.body.data.items.map(({ task }) => task.requirements),
    [{ ...NONE, photo: true }, null, { ...NONE, photo: true, note: true }],
  );
  const patched = await day.api.patch(`/tasks/${usual.id}`, { requirements: { photo: false, barcodes: true } });
  assert.deepEqual(patched.body.data.requirements, { ...NONE, barcodes: true });
  assert.deepEqual((await day.told()).at(-1)!.data['changed'], ['requirements']);
  const unchanged = await day.api.patch(`/tasks/${usual.id}`, { requirements: { barcodes: true } });
  assert.equal(unchanged.body.data.updatedAt, patched.body.data.updatedAt);
  const given = await day.taskIn('accepted');
  const late = await day.api.patch(`/tasks/${given.id}`, { requirements: { photo: false } });
  assert.deepEqual([late.status, late.body.code], [409, 'TASK_NOT_EDITABLE']);
});

test('a dispatcher lets a task succeed without proof and says why, and a failure needs none', async () => {
  const day = await dayOf(fixture);
  const requirements = { signature: true };
  const { id } = await day.taskIn('in_transit', { requirements });
  const driver = driverOf(day, id);
  assert.equal((await driver.complete({ overrideReason: 'no pen' })).status, 403);
  const body = { status: 'completed', overrideReason: 'signed on paper' };
  const done = await day.api.put(`/tasks/${id}/status`, body);
  assert.deepEqual([done.status, done.body.data.outcome], [200, 'succeeded'], done.text);
  const { details, actor } = (await day.history(id)).at(-1)!;
  assert.deepEqual(details, { outcome: 'succeeded', overrideReason: 'signed on paper', missing: ['signature'] });
  assert.equal(actor.type, 'channel');
  const other = await day.taskIn('in_transit', { requirements, packages: [{ name: 'box', barcode: 'A' }] });
  await driverOf(day, other.id).scan('A');
  const failed = await driverOf(day, other.id).complete({ outcome: 'failed', failureReason: 'nobody at home' });
  assert.equal(failed.status, 200, failed.text);
  const next = (await day.api.post(`/tasks/${other.id}/reattempt`, {})).body.data;
  assert.deepEqual(
    [next.requirements, next.proofs, next.packages.map(({ scannedAt }) => scannedAt)],
    [{ ...NONE, ...requirements }, [], [null]],
  );
  const misplaced = await day.api.put(`/tasks/${next.id}/status`, {
    status: 'cancelled',
    note: 'x',
    overrideReason: 'y',
  });
  assert.deepEqual(misplaced.body.message, [
    'note belongs to the status completed',
    'overrideReason belongs to the outcome succeeded',
  ]);
});

test('completions beside the last proof succeed only once it is there', async () => {
  const day = await dayOf(fixture);
  for (let round = 0; round < 6; round += 1) {
    const { id } = await day.taskIn('in_transit', { requirements: { signature: true } });
    const driver = driverOf(day, id);
    const [proven, ...ends] = await Promise.all([
      driver.prove({ signature: SIGNATURE }),
      ...Array.from({ length: 4 }, () => driver.complete()),
    ]);
    assert.equal(proven!.status, 201, proven!.text);
    for (const end of ends) assert.ok(end.status === 200 || end.body.code === 'PROOF_REQUIRED', end.text);
    assert.equal((await driver.complete()).status, 200);
    const types = (await day.history(id)).map(({ kind, toStatus, details }) => toStatus ?? details?.['proof'] ?? kind);
    assert.ok(types.indexOf('signature') < types.indexOf('completed'), types.join());
    assert.equal(types.filter((type) => type === 'completed').length, 1);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { PACKAGE_STATUSES, type PackageStatus, type PackageView } from '../../../schema/tasks/package.ts';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

interface PackageList {
  readonly items: PackageView[];
  readonly count: number;
}
interface EventPage {
  readonly items: { readonly type: string; readonly data: Record<string, unknown> }[];
}

const events = async (api: ApiClient) => (await api.get<EventPage>('/events')).body.data.items;
const listOf = async (api: ApiClient, taskId: number) =>
  (await api.get<PackageList>(`/tasks/${taskId}/packages`)).body.data;

test('a task without packages lists none', async () => {
  const { id } = await fixture.api.createTask();
  assert.deepEqual(await listOf(fixture.api, id), { items: [], count: 0, nextCursor: null });
});

test('a package is added with all its fields, listed, and shown in its task', async () => {
  const { api } = await fixture.organization();
  const task = await api.createTask({ packages: [{ name: 'first' }] });
  const fields = {
    name: 'Lamp',
    description: 'with a shade',
    quantity: 2,
    weight: 1.5,
    width: 10,
    height: 20.25,
    length: 0,
    isFragile: true,
    barcode: 'B-1',
    notes: 'this side up',
  };
  const { status, body } = await api.post<PackageView>(`/tasks/${task.id}/packages`, {
    ...fields,
    status: 'lost',
    id: 1,
  });
  assert.equal(status, 201);
  const { id, createdAt } = body.data;
  assert.deepEqual(body.data, {
    ...{ id, taskId: task.id, ...fields, status: 'pending', scannedAt: null },
    ...{ createdAt, updatedAt: createdAt },
  });
  const packages = [...task.packages, body.data];
  assert.deepEqual(await listOf(api, task.id), { items: packages, count: 2, nextCursor: null });
  const shown = (await api.get(`/tasks/${task.id}`)).body.data;
  assert.deepEqual(shown, { ...task, packages, updatedAt: createdAt });
  assert.deepEqual((await api.list()).body.data.items, [shown]);
  const [, told] = await events(api);
  assert.deepEqual([told!.type, told!.data['task'], told!.data['changed']], ['task.updated', shown, ['packages']]);
  const [, step] = (await api.get<{ items: HistoryStepView[] }>(`/tasks/${task.id}/history`)).body.data.items;
  assert.deepEqual([step!.kind, step!.details], ['package_added', { packageId: id }]);
});

for (const [name, input, shown] of [
  [
    'a description alone',
    { description: 'glass' },
    { name: 'glass', description: 'glass', quantity: 1, isFragile: false },
  ],
  ['a name alone', { name: 'glass', description: ' ' }, { name: 'glass', description: 'glass' }],
  [
    'a description that is too long for a name',
    { description: `${'d'.repeat(254)}😀 and more` },
    { name: 'd'.repeat(254), description: `${'d'.repeat(254)}😀 and more` },
  ],
  [
    'nulls',
    { name: 'n', quantity: null, weight: null, isFragile: null },
    { quantity: 1, weight: null, isFragile: false },
  ],
] as const) {
  test(`a package of ${name} is filled up`, async () => {
    const { id } = await fixture.api.createTask();
    const { body } = await fixture.api.post<PackageView>(`/tasks/${id}/packages`, input);
    assert.deepEqual(body.data, { ...body.data, ...shown });
  });
}

test('a package that cannot be is refused with every violation', async () => {
  const { id } = await fixture.api.createTask();
  for (const [input, told] of [
    [{}, ['must have a name or a description']],
    [{ name: 'x', weight: -1, height: '3' }, ['weight must be a number of 0 or more', 'height must be a number']],
  ] as const) {
    const { status, body } = await fixture.api.post(`/tasks/${id}/packages`, input);
    assert.deepEqual([status, body.message], [400, told]);
  }
});

test('a task has a bounded number of packages', async () => {
  const { api } = await fixture.organization();
  const { id } = await api.createTask({ packages: Array.from({ length: LIMITS.listItems }, () => ({ name: 'x' })) });
  const open = LIMITS.packagesPerTask - LIMITS.listItems;
  const add = () => api.post(`/tasks/${id}/packages`, { name: 'x' });
  const replies = await Promise.all(Array.from({ length: open + 5 }, add));
  assert.equal(replies.filter(({ status }) => status === 201).length, open);
  const refused = replies.filter(({ status }) => status === 409);
  assert.deepEqual([refused.length, refused[0]!.body.code], [5, 'TOO_MANY_PACKAGES']);
  assert.equal((await listOf(api, id)).count, LIMITS.packagesPerTask);
});

test('PATCH keeps and changes as many packages as a task may have, and adds no more than a hundred at a time', async () => {
  const { api } = await fixture.organization();
  const many = Array.from({ length: LIMITS.listItems }, (_, index) => ({ name: `first ${index}` }));
  const { id } = await api.createTask({ packages: many });
  const own = async () => (await listOf(api, id)).items.map(({ id: own }) => ({ id: own }));
  for (let full = LIMITS.listItems; full < LIMITS.packagesPerTask; full += LIMITS.listItems) {
    const reply = await api.patch(`/tasks/${id}`, { packages: [...(await own()), ...many] });
    assert.deepEqual([reply.status, (await listOf(api, id)).count], [200, full + LIMITS.listItems]);
  }
  const [first, ...others] = await own();
  const renamed = await api.patch(`/tasks/${id}`, { packages: [{ ...first, name: 'renamed' }, ...others] });
  assert.equal(renamed.status, 200);
  const { items } = await listOf(api, id);
  assert.deepEqual([items.length, items[0]!.name], [LIMITS.packagesPerTask, 'renamed']);
  const over = await api.patch(`/tasks/${id}`, { packages: [first, ...others, { name: 'one more' }] });
  assert.deepEqual([over.status, over.body.message], [400, ['packages must hold at most 500 items']]);
  const added = await api.patch(`/tasks/${id}`, { packages: [first, ...many, { name: 'one more' }] });
  assert.deepEqual([added.status, added.body.message], [400, ['packages must add at most 100 packages']]);
});

/** The whole table stands in tests/unit/domain/tasks/package-machine.test.ts. */
test('a package that is being delivered takes the steps of its table and no other, with payment steps where there is an amount', async () => {
  // Tasks with an amount are those that move cash, which integrations only see.
  const { api, ...owner } = await fixture.organization({ role: 'dispatcher' });
  const seeds = [{}, { amountMinor: 1250 }].map((money) => ({
    packages: PACKAGE_STATUSES.map(() => 'delivering' as const),
    ...money,
  }));
  const tasks = await seedTasks(fixture.gateway.databaseUrl, owner, seeds);
  const next: readonly PackageStatus[] = ['delivered', 'returned', 'lost', 'damaged'];
  for (const [task, allowed] of [
    [tasks[0]!, next],
    [tasks[1]!, ['collecting_payment', ...next]],
  ] as const) {
    for (const [index, to] of PACKAGE_STATUSES.entries()) {
      const { status, body } = await api.patch<PackageView>(`/packages/${task.packageIds[index]}`, { status: to });
      if (to === 'delivering' || allowed.includes(to)) assert.deepEqual([status, body.data.status], [200, to]);
      else {
        assert.deepEqual([status, body.code], [409, 'INVALID_PACKAGE_TRANSITION']);
        assert.deepEqual([...(body.details['allowed'] as string[])].sort(), allowed.toSorted(), to);
      }
    }
    assert.deepEqual(
      (await listOf(api, task.id)).items.map((item) => item.status),
      PACKAGE_STATUSES.map((to) => (allowed.includes(to) ? to : 'delivering')),
    );
  }
  assert.equal((await events(api)).length, 2 * next.length + 1);
});

test('a step of a package is an event with its task and reason, and stands in the history', async () => {
  const { api, channelId } = await fixture.organization();
  const task = await api.createTask({ packages: [{ name: 'box' }, { name: 'other' }] });
  const [box, other] = task.packages;
  const { body } = await api.patch<PackageView>(`/packages/${box!.id}`, { status: 'picking_up', reason: 'on the way' });
  const { updatedAt } = body.data;
  assert.deepEqual(body.data, { ...box, status: 'picking_up', updatedAt });
  const shown = (await api.get(`/tasks/${task.id}`)).body.data;
  assert.deepEqual(shown, { ...task, packages: [body.data, other], updatedAt });
  const [, told] = await events(api);
  assert.equal(told!.type, 'package.status_changed');
  assert.deepEqual(told!.data, {
    task: shown,
    packageId: box!.id,
    previousStatus: 'pending',
    status: 'picking_up',
    reason: 'on the way',
    actor: { type: 'channel', id: channelId },
  });
  const [, step] = (await api.get<{ items: HistoryStepView[] }>(`/tasks/${task.id}/history`)).body.data.items;
  assert.deepEqual(
    [step!.kind, step!.reason, step!.details],
    ['package_status_changed', 'on the way', { packageId: box!.id, fromStatus: 'pending', toStatus: 'picking_up' }],
  );
});

test('a package is changed only as it was read, when the caller asks for that', async () => {
  const { api } = await fixture.organization();
  const { packages } = await api.createTask({ packages: [{ name: 'box' }] });
  const path = `/packages/${packages[0]!.id}`;
  const first = await api.patch(path, { status: 'picking_up' }, { 'if-match': '*' });
  const etag = first.headers.etag!;
  assert.equal((await api.patch(path, { status: 'picked_up' }, { 'if-match': `"other", ${etag}` })).status, 200);
  const stale = await api.patch(path, { status: 'delivering' }, { 'if-match': etag });
  assert.deepEqual([stale.status, stale.body.code], [412, 'PRECONDITION_FAILED']);
  // Before the 409 that the step would get.
  assert.equal((await api.patch(path, { status: 'pending' }, { 'if-match': etag })).status, 412);
  assert.equal((await api.patch('/packages/999000111', { status: 'pending' }, { 'if-match': etag })).status, 404);
});

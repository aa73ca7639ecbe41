import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageView } from '../../../schema/tasks/package.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { seedAgent, seedSession } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

interface PackageList {
  readonly items: PackageView[];
  readonly count: number;
}

let organizationId: number;
let api: ApiClient;
let first: TaskView;
let second: TaskView;
let commas: TaskView;
/** Commas at places where a list would have none, and more of them than a list may have. */
const COMMAS = ['A,,B', 'A,', ',A', '7,'.repeat(127)];
const fixture = useGateway({}, async ({ api: other, organization }) => {
  const withBarcodes = (...barcodes: string[]) => ({
    packages: barcodes.map((barcode) => ({ name: barcode, barcode })),
  });
  await other.createTask(withBarcodes('BC-1', 'BC-2'));
  ({ api, organizationId } = await organization());
  first = await api.createTask(withBarcodes('BC-1', 'bc-1', 'BC-10', '(01)095,06', 'A+B 1', '"{x}\\'));
  second = await api.createTask(withBarcodes('BC-1', 'BC-2'));
  commas = await api.createTask(withBarcodes(...COMMAS));
});

async function find(query: string, client = api): Promise<PackageList> {
  const { status, body, text } = await client.get<PackageList>(`/packages?${query}`);
  assert.equal(status, 200, text);
  return body.data;
}

const namesOf = ({ items }: PackageList) => items.map(({ taskId, barcode }) => [taskId, barcode]);

test('a barcode finds its packages exactly, newest first, as their tasks show them', async () => {
  const found = await find('barcode=BC-1');
  assert.deepEqual(namesOf(found), [
    [second.id, 'BC-1'],
    [first.id, 'BC-1'],
  ]);
  assert.deepEqual([found.items, found.count], [[second.packages[0], first.packages[0]], 2]);
});

test('several barcodes find the packages of any of them, and a barcode with commas is found whole', async () => {
  for (const [query, expected] of [
    ['barcode=bc-1', [[first.id, 'bc-1']]],
    [
      'barcode=BC-2,BC-10',
      [
        [second.id, 'BC-2'],
        [first.id, 'BC-10'],
      ],
    ],
    [
      'barcode=BC-2&barcode=BC-10&barcode=BC-2',
      [
        [second.id, 'BC-2'],
        [first.id, 'BC-10'],
      ],
    ],
    ['barcode=(01)095,06', [[first.id, '(01)095,06']]],
    ['barcode=A%2BB%201', [[first.id, 'A+B 1']]],
    [`barcode=${encodeURIComponent('"{x}\\')}`, [[first.id, '"{x}\\']]],
    ...COMMAS.map((barcode) => [`barcode=${encodeURIComponent(barcode)}`, [[commas.id, barcode]]] as const),
    [
      'barcode=A,&barcode=%2CA',
      [
        [commas.id, ',A'],
        [commas.id, 'A,'],
      ],
    ],
    ['barcode=BC', []],
    ['barcode=BC-%25', []],
    ['barcode=nope', []],
  ] as const) {
    const found = await find(query);
    assert.deepEqual([namesOf(found), found.count], [expected, expected.length], query);
  }
});

test('pages lead through what a barcode finds', async () => {
  const [one, two, three] = [1, 2, 3].map((page) => find(`barcode=BC-1&limit=1&page=${page}`));
  assert.deepEqual(namesOf(await one!), [[second.id, 'BC-1']]);
  assert.deepEqual(namesOf(await two!), [[first.id, 'BC-1']]);
  assert.deepEqual(await three!, { items: [], count: 2, nextCursor: null });
});

test('wrong parameters are refused by their names', async () => {
  const most = Array.from({ length: 101 }, (_, index) => index);
  for (const [query, messages] of [
    ['', ['barcode is required']],
    ['barcode=', ['barcode is required']],
    ['barcode=,', ['barcode must hold at least one barcode']],
    [`barcode=${'x'.repeat(256)}`, ['barcode.0 must be at most 255 characters']],
    [`barcode=${most}`, ['barcode must hold at most 100 items']],
    [most.map((index) => `barcode=${index}`).join('&'), ['barcode must hold at most 100 items']],
    ['barcode=%00', ['the query must be percent-encoded UTF-8 without NUL', 'barcode is required']],
    [
      'barcode=x&limit=101&page=0',
      ['page must be an integer of 1 or more', 'limit must be an integer between 1 and 100'],
    ],
  ] as const) {
    const { status, body } = await api.get(`/packages?${query}`);
    assert.deepEqual([status, body.message], [400, messages], query.slice(0, 40));
  }
});

test('a package that was taken off its task is found without one, and by staff alone', async () => {
  const task = await api.createTask({ packages: [{ name: 'loose', barcode: 'LOOSE' }] });
  const { agentId, userId } = await seedAgent(fixture.gateway.databaseUrl, organizationId);
  const agent = fixture.clientOf(await seedSession(fixture.gateway.databaseUrl, organizationId, userId));
  assert.equal((await api.patch(`/tasks/${task.id}`, { packages: [] })).status, 200);
  assert.equal((await api.post(`/tasks/${task.id}/assign`, { agentId })).status, 200);
  assert.deepEqual(namesOf(await find('barcode=LOOSE')), [[null, 'LOOSE']]);
  assert.deepEqual(await find('barcode=LOOSE', agent), { items: [], count: 0, nextCursor: null });
});

test('an agent finds the packages of its own tasks only', async () => {
  const { agentId, userId } = await seedAgent(fixture.gateway.databaseUrl, organizationId);
  const agent = fixture.clientOf(await seedSession(fixture.gateway.databaseUrl, organizationId, userId));
  assert.deepEqual(await find('barcode=BC-1', agent), { items: [], count: 0, nextCursor: null });
  assert.equal((await api.post(`/tasks/${second.id}/assign`, { agentId })).status, 200);
  assert.deepEqual(namesOf(await find('barcode=BC-1', agent)), [[second.id, 'BC-1']]);
  assert.equal((await api.post(`/tasks/${second.id}/unassign`, {})).status, 200);
  assert.deepEqual(await find('barcode=BC-1', agent), { items: [], count: 0, nextCursor: null });
});

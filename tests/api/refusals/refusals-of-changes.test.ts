import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiClient, type ApiReply, taskInput } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

/**
 * docs/contract.md §1 "Order of refusal" for changes of a task: of two faults in one request the answer names the
 * earlier one.
 */

const fixture = useGateway();

const UNKNOWN = 999_000_111;
const stale = { 'if-match': '"stale"' };

/** An organization that has used up its quota, with a task that has ended, its package, and a used key. */
interface Place {
  readonly api: ApiClient;
  readonly open: number;
  readonly ended: number;
  readonly endedPackage: number;
}

async function full(): Promise<Place> {
  const { api } = await fixture.organization({ limits: { tasks: 2, customers: 1 } });
  const open = await api.createTask({ code: 'TAKEN', packages: [{ name: 'attached' }] });
  const ended = await api.createTask({ packages: [{ name: 'box' }] });
  await api.put(`/tasks/${ended.id}/status`, { status: 'cancelled' });
  return { api, open: open.id, ended: ended.id, endedPackage: ended.packages[0]!.id };
}

type Ask = (place: Place) => Promise<ApiReply>;

/** Two faults in one request, and the one that the answer names. */
const CASES: readonly (readonly [told: string, before: string, status: number, words: RegExp, ask: Ask])[] = [
  ['a violation', 'an unknown task', 400, /notes must/, ({ api }) => api.patch(`/tasks/${UNKNOWN}`, { notes: 5 })],
  [
    'a violation',
    'a stale tag',
    400,
    /notes must/,
    ({ api, open }) => api.patch(`/tasks/${open}`, { notes: 5 }, stale),
  ],
  [
    'an unknown task',
    'a stale tag',
    404,
    /Task with/,
    ({ api }) => api.patch(`/tasks/${UNKNOWN}`, { notes: 'x' }, stale),
  ],
  [
    'an unknown package',
    'a stale tag',
    404,
    /Package with/,
    ({ api, open }) => api.patch(`/tasks/${open}`, { packages: [{ id: UNKNOWN }] }, stale),
  ],
  [
    'an unknown package',
    'a task that cannot be edited',
    404,
    /Package with/,
    ({ api, ended }) => api.patch(`/tasks/${ended}`, { packages: [{ id: UNKNOWN }] }),
  ],
  [
    'a stale tag',
    'a task that cannot be edited',
    412,
    /PRECONDITION/,
    ({ api, ended }) => api.patch(`/tasks/${ended}`, { notes: 'x' }, stale),
  ],
  [
    'a stale tag',
    'a step that is not allowed',
    412,
    /PRECONDITION/,
    ({ api, endedPackage }) => api.patch(`/packages/${endedPackage}`, { status: 'pending' }, stale),
  ],
  [
    'a violation',
    'an unknown package',
    400,
    /status must/,
    ({ api }) => api.patch(`/packages/${UNKNOWN}`, { status: 'x' }),
  ],
  [
    'a violation',
    'an ended task',
    400,
    /must have a name/,
    ({ api, ended }) => api.post(`/tasks/${ended}/packages`, {}),
  ],
  [
    'a violation',
    'an unknown task',
    400,
    /status must/,
    ({ api }) => api.put(`/tasks/${UNKNOWN}/status`, { status: 'x' }),
  ],
  [
    'an unknown parent',
    'a code that is taken',
    404,
    /Task with/,
    ({ api }) => api.post('/tasks', taskInput({ parentId: UNKNOWN, code: 'TAKEN' })),
  ],
  [
    'an unknown parent',
    'the quota',
    404,
    /Task with/,
    ({ api }) => api.post('/tasks', taskInput({ parentId: UNKNOWN })),
  ],
  [
    'an unknown record of a child',
    'a code that is taken',
    404,
    /Warehouse with/,
    ({ api }) =>
      api.post('/tasks', taskInput({ code: 'TAKEN', children: [taskInput({ pickupWarehouseId: UNKNOWN })] })),
  ],
  [
    'an ended parent',
    'the quota',
    409,
    /INVALID_PARENT/,
    ({ api, ended }) => api.post('/tasks', taskInput({ parentId: ended })),
  ],
  [
    'a code that a child repeats',
    'the quota',
    409,
    /TASK_CODE_TAKEN/,
    ({ api }) => api.post('/tasks', taskInput({ code: 'A', children: [taskInput({ code: 'A' })] })),
  ],
  [
    'the quota of tasks',
    'the quota of customers',
    403,
    /"resource":"tasks"/,
    ({ api }) => api.post('/tasks', taskInput({ customer: { name: 'New', phone: '+442079460999' } })),
  ],
];

for (const [told, before, status, words, ask] of CASES) {
  test(`${told} is reported before ${before}`, async () => {
    const reply = await ask(await full());
    assert.equal(reply.status, status, reply.text);
    assert.match(reply.text, words);
  });
}

test('a used key is reported before any refusal of the engine', async () => {
  const { api, open } = await full();
  const key = { 'idempotency-key': 'used' };
  await api.patch(`/tasks/${open}`, { notes: 'first' }, key);
  const { status, body } = await api.patch(`/tasks/${open}`, { packages: [{ id: UNKNOWN }] }, { ...key, ...stale });
  assert.deepEqual([status, body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
});

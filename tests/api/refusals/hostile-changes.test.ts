import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiReply, taskInput } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

/** Hostile bodies for everything that changes a task, beside creating one (hostile-bodies.test.ts): never a 5xx. */

const fixture = useGateway({}, async ({ api }) => {
  task = await api.createTask({ packages: [{ name: 'box' }] });
});
let task: TaskView;

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const good = JSON.stringify(taskInput()).slice(1);

/** `ID` and `PACKAGE` in a path stand for those of the task. */
function send(method: string, path: string, body: string, headers: Record<string, string> = {}): Promise<ApiReply> {
  const filled = path.replace('ID', String(task.id)).replace('PACKAGE', String(task.packages[0]!.id));
  const own = { 'x-api-key': fixture.gateway.key, 'content-type': 'application/json', ...headers };
  return fixture.api.raw({ method, path: `/api/v1${filled}`, headers: own, body });
}

const WRITES = [
  ['PATCH', '/tasks/ID', '"notes":"x"}'],
  ['PUT', '/tasks/ID/status', '"status":"accepted"}'],
  ['POST', '/tasks/ID/packages', '"name":"x"}'],
  ['PATCH', '/packages/PACKAGE', '"status":"pending"}'],
  ['POST', '/tasks', good],
  ['POST', '/tasks/batch', `"tasks":[{${good}]}`],
] as const;

for (const [method, path, rest] of WRITES) {
  test(`${method} ${path} takes no harm from bodies that are no object, or not JSON`, async () => {
    for (const body of ['null', '5', '"x"', '[]', nested(100_000)]) {
      const { status, body: refused } = await send(method, path, body);
      assert.deepEqual([status, refused.message], [400, ['the body must be an object']]);
    }
    for (const body of ['', '{', '{"a":01}', '{"a":"\u0000"}', `${'['.repeat(100_000)}`]) {
      const { status, body: refused } = await send(method, path, body);
      assert.deepEqual([status, typeof refused.message], [400, 'string']);
    }
  });

  for (const depth of [100, 5_000, 400_000]) {
    test(`${method} ${path} ignores an unknown field nested ${depth} deep, also when it is sent with a key`, async () => {
      const body = `{"extra":${nested(depth)},${rest}`;
      const plain = await send(method, path, body);
      const keyed = await send(method, path, body, { 'idempotency-key': `${method} ${path} ${depth}` });
      assert.ok(plain.status < 500, plain.text);
      assert.ok(keyed.status < 500, keyed.text);
    });
  }
}

const DEEP = 'integrationData must hold only storable text and finite numbers, nested at most 32 deep';
for (const depth of [40, 5_000, 400_000]) {
  test(`integrationData nested ${depth} deep is a violation, wherever it stands`, async () => {
    const data = `{"integrationData":{"a":${nested(depth)}}`;
    const patched = await send('PATCH', '/tasks/ID', `${data}}`);
    assert.deepEqual([patched.status, patched.body.message], [400, [DEEP]]);
    const created = await send('POST', '/tasks', `${data},${good}`);
    assert.deepEqual([created.status, created.body.message], [400, [DEEP]]);
    const child = await send('POST', '/tasks', `{"children":[${data},${good}],${good}`);
    assert.deepEqual([child.status, child.body.message], [400, [`children.0.${DEEP}`]]);
  });
}

for (const [path, literals, told] of [
  ['packages', ['{}', '"x"', '5', 'true'], 'packages must be an array'],
  ['packages', ['[null]', '[5]', '["x"]'], 'packages.0 must be an object'],
  [
    'packages',
    ['[{"id":9007199254740992}]', '[{"id":0}]', '[{"id":1.5}]', '[{"id":1e400}]'],
    'packages.0.id must be a positive integer',
  ],
  ['packages', ['[{"id":"1"}]', '[{"id":{}}]', '[{"id":[1]}]'], 'packages.0.id must be a number'],
  [
    'packages',
    ['[{"name":"\\u0000"}]', '[{"name":"\\ud800"}]'],
    'packages.0.name must not contain NUL or unpaired surrogates',
  ],
  ['notes', ['"\\ud800"', '"\\u0000"'], 'notes must not contain NUL or unpaired surrogates'],
  ['integrationData', ['[]', '"x"', '5'], 'integrationData must be an object'],
  ['integrationData', [`{"a":"${'x'.repeat(16_384)}"}`], 'integrationData must be at most 16384 bytes of JSON'],
  ['scheduledAt', ['5', 'true', '{}'], 'scheduledAt must be a string'],
  [
    'scheduledAt',
    ['"2031-02-29T12:00:00Z"', '"2031-01-01"', '""'],
    'scheduledAt must be an ISO 8601 date-time with a zone or offset',
  ],
] as const) {
  for (const literal of literals) {
    test(`PATCH with ${path}: ${literal.slice(0, 30)} is a violation`, async () => {
      const { status, body } = await send('PATCH', '/tasks/ID', `{"${path}":${literal}}`);
      assert.deepEqual([status, (body.message as string[])[0]], [400, told]);
    });
  }
}

for (const [literal, told] of [
  ['{}', 'children must be an array'],
  ['"x"', 'children must be an array'],
  ['[null]', 'children.0 must be an object'],
  ['[5]', 'children.0 must be an object'],
] as const) {
  test(`children: ${literal} is a violation`, async () => {
    const { status, body } = await send('POST', '/tasks', `{"children":${literal},${good}`);
    assert.deepEqual([status, body.message], [400, [told]]);
  });
}

test('an array in place of a child is refused, however deep', async () => {
  for (const depth of [2, 100_000]) {
    const { status } = await send('POST', '/tasks', `{"children":${nested(depth)},${good}`);
    assert.equal(status, 400);
  }
});

for (const [literal, told] of [
  ['"1"', 'must be a number'],
  ['9007199254740992', 'must be a positive integer'],
  ['-1', 'must be a positive integer'],
  ['{}', 'must be a number'],
] as const) {
  test(`${literal} as an id is a violation wherever a body names one`, async () => {
    const ids = ['parentId', 'customerId', 'locationId', 'pickupWarehouseId', 'channelId', 'preferredAgentId'];
    const plain = JSON.stringify(taskInput({ customer: undefined, location: undefined })).slice(1);
    const fields = ids.map((id) => `"${id}":${literal}`).join(',');
    const { status, body } = await send('POST', '/tasks', `{${fields},"packageIds":[${literal}],${plain}`);
    assert.equal(status, 400);
    assert.deepEqual([...body.message].sort(), [...ids.map((id) => `${id} ${told}`), `packageIds.0 ${told}`].sort());
  });
}

for (const id of ['0', '-1', '1.5', 'abc', '9007199254740992', '99999999999999999999', '01', '1e3', '%31']) {
  test(`the id "${id}" in a path is a violation of every route that has one`, async () => {
    const api = fixture.api;
    const replies = [
      await api.patch(`/tasks/${id}`, { notes: 'x' }),
      await api.put(`/tasks/${id}/status`, { status: 'cancelled' }),
      await api.get(`/tasks/${id}`),
      await api.get(`/tasks/${id}/history`),
      await api.get(`/tasks/${id}/packages`),
      await api.post(`/tasks/${id}/packages`, { name: 'x' }),
      await api.patch(`/packages/${id}`, { status: 'lost' }),
    ];
    for (const { status, body } of replies)
      assert.deepEqual([status, body.message], [400, ['id must be a positive integer']]);
  });
}

test('keys that pollute prototypes change nothing', async () => {
  const before = (await fixture.api.get(`/tasks/${task.id}`)).body.data;
  const body = '{"__proto__":{"notes":"x"},"constructor":{"prototype":{"notes":"x"}},"toString":1}';
  const { status, body: answer } = await send('PATCH', '/tasks/ID', body);
  assert.equal(status, 200);
  assert.deepEqual(answer.data, before);
  assert.equal((await send('PUT', '/tasks/ID/status', '{"__proto__":{"status":"cancelled"}}')).status, 400);
  assert.equal(({} as Record<string, unknown>)['notes'], undefined);
});

test('a body over the limit is refused with 413 by every route, before anything in it is read', async () => {
  for (const [method, path] of WRITES.filter(([, path]) => path !== '/tasks/batch')) {
    const { status } = await send(method, path, `{"extra":"${'x'.repeat(1_048_576)}"}`);
    assert.equal(status, 413, path);
  }
});

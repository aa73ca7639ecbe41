import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newApiKey } from '../../../engine/runtime/secrets.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { talk } from '../../integration/http/raw-client.ts';
import { taskInput } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

/** A request whose chunked body the HTTP layer refuses, with a key that may do everything it asks for. */

const fixture = useGateway();

/** The rest of a chunked body behind its chunks, and whether the request is well framed. */
const ENDS: readonly (readonly [name: string, packets: readonly string[], isGood: boolean])[] = [
  ['the end that RFC 9112 asks for', ['0\r\n\r\n'], true],
  ['that end in two packets', ['0\r\n', '\r\n'], true],
  ['a trailer', ['0\r\nX-Checksum: 1\r\n\r\n'], false],
  ['an empty chunk size', ['\r\nabc\r\n0\r\n\r\n'], false],
];

async function sendChunked(
  method: string,
  path: string,
  body: string,
  [first, ...others]: readonly string[],
  key = fixture.gateway.key,
) {
  const { baseUrl } = fixture.gateway;
  const headers = `Host: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`;
  const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`;
  const head = `${method} /api/v1${path} HTTP/1.1\r\n${headers}\r\n\r\n${chunk}${first}`;
  return (await talk(Number(new URL(baseUrl).port), [head, ...others])).statuses[0]!;
}

for (const [name, packets, isGood] of ENDS) {
  test(`a chunked task with ${name} is ${isGood ? 'created' : 'created or refused, as the answer says'}`, async () => {
    const before = (await fixture.api.list()).body.data.count;
    const status = await sendChunked('POST', '/tasks', JSON.stringify(taskInput()), packets);
    if (isGood) assert.equal(status, 201);
    assert.equal((await fixture.api.list()).body.data.count, before + (status === 201 ? 1 : 0), `answered ${status}`);
  });

  test(`a call without a body of its own, with ${name}, is ${isGood ? 'executed' : 'executed or refused, as the answer says'}`, async () => {
    const { id, autoAssignmentStatus } = await fixture.api.createTask();
    const path = `/tasks/${id}/auto-assign`;
    const status = await sendChunked('POST', path, '', packets);
    if (isGood) assert.equal(status, 200);
    const { data } = (await fixture.api.get<TaskView>(`/tasks/${id}`)).body;
    assert.equal(data.autoAssignmentStatus !== autoAssignmentStatus, status === 200, `answered ${status}`);
  });
}

test('a chunked body on a call that takes none is read up to a bound', async () => {
  const { id } = await fixture.api.createTask();
  const path = `/tasks/${id}/auto-assign`;
  assert.equal(await sendChunked('POST', path, 'x'.repeat(70_000), ['0\r\n\r\n']), 413);
});

test('a chunked body over the bound is refused for its key first, also a key that has to be looked up', async () => {
  const body = 'x'.repeat(70_000);
  const send = (key?: string) => sendChunked('POST', '/tasks/1/auto-assign', body, ['0\r\n\r\n'], key);
  for (let i = 0; i < 3; i++) assert.equal(await send(newApiKey()), 401);
  assert.equal(await send(), 413);
});

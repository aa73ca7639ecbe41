import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { deliveryPinOf } from '../../../engine/domain/tasks/delivery-pin.ts';
import { secretOf } from '../../../engine/views/parts/tracking-url.ts';
import type { ProofView } from '../../../schema/tasks/proof.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { seedAgent, seedSession, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';

interface Place {
  readonly staff: ApiClient;
  readonly driver: ApiClient;
  readonly agentId: number;
  readonly organizationId: number;
}

let place: Place;

const fixture = useGateway({}, async ({ gateway, clientOf, organization }) => {
  const { api: staff, organizationId } = await organization({ role: 'dispatcher' });
  const { agentId, userId } = await seedAgent(gateway.databaseUrl, organizationId);
  const driver = clientOf(await seedSession(gateway.databaseUrl, organizationId, userId));
  place = { staff, driver, agentId, organizationId };
});

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const JPEG = Buffer.from('ffd8ffe000104a46494600010100', 'hex');
const WEBP = Buffer.concat([Buffer.from('RIFF\u0004\0\0\0WEBPVP8 ', 'latin1'), Buffer.alloc(8)]);
const dataUrl = (content: Buffer, type = 'image/png') => `data:${type};base64,${content.toString('base64')}`;
const NOT_AN_IMAGE = 'must be a data URL in base64 with an image of image/jpeg, image/png, image/webp';

/** A task that its agent has accepted. */
async function acceptedTask(): Promise<TaskView> {
  const { staff, agentId } = place;
  const task = await staff.createTask();
  await staff.post(`/tasks/${task.id}/assign`, { agentId });
  const reply = await staff.put(`/tasks/${task.id}/status`, { status: 'accepted' });
  assert.equal(reply.status, 200, reply.text);
  return task;
}

const pinOf = ({ trackingUrl }: TaskView) => deliveryPinOf(secretOf(trackingUrl));
const wrongPinOf = (task: TaskView) => String((Number(pinOf(task)) + 1) % 10_000).padStart(4, '0');
const prove = (task: TaskView, body: object, headers = {}) =>
  place.driver.post<ProofView>(`/tasks/${task.id}/proof`, body, headers);
const proofsOf = async (task: TaskView) =>
  (await place.staff.get<{ items: ProofView[]; count: number }>(`/tasks/${task.id}/proof`)).body.data;

/** The bytes of a file, which a client of texts would spoil. */
function download(
  path: string,
  key: string,
): Promise<{ readonly headers: Record<string, unknown>; readonly content: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${fixture.gateway.baseUrl}${path}`, { headers: { 'x-api-key': key }, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', async (incoming) => {
      const content = Buffer.concat(await incoming.toArray());
      resolve({ headers: incoming.headers, content });
    });
    outgoing.end();
  });
}

for (const [type, content] of [
  ['image/png', PNG],
  ['image/jpeg', JPEG],
  ['image/webp', WEBP],
] as const) {
  test(`a photo in ${type} is answered, listed and given out as it came`, async () => {
    const { api, organizationId, key } = await fixture.organization({ role: 'dispatcher' });
    const { agentId } = await seedAgent(fixture.gateway.databaseUrl, organizationId);
    const task = await api.createTask();
    await api.post(`/tasks/${task.id}/assign`, { agentId });
    await api.put(`/tasks/${task.id}/status`, { status: 'accepted' });
    const added = await api.post<ProofView>(`/tasks/${task.id}/proof`, { photo: dataUrl(content, type) });
    assert.equal(added.status, 201, added.text);
    const { id, fileUrl, createdAt: _createdAt, actor, ...proof } = added.body.data;
    assert.deepEqual(proof, { taskId: task.id, kind: 'photo', contentType: type, bytes: content.length });
    assert.equal(actor.type, 'channel');
    assert.equal(fileUrl, `/api/v1/tasks/${task.id}/proof/${id}`);
    const { data } = (await api.get<{ items: ProofView[]; count: number }>(`/tasks/${task.id}/proof`)).body;
    assert.deepEqual(data, { items: [added.body.data], count: 1 });
    const file = await download(fileUrl!, key);
    assert.deepEqual(file.content, content);
    assert.equal(file.headers['content-type'], type);
    assert.equal(file.headers['x-content-type-options'], 'nosniff');
    assert.match(file.headers['content-security-policy'] as string, /^default-src 'none';.* sandbox$/);
    assert.match(file.headers['cache-control'] as string, /^private, /);
    assert.equal(file.headers['content-disposition'], `inline; filename="proof-${id}.${type.slice(6)}"`);
  });
}

test('a file that is not an image of its type is refused', async () => {
  const task = await acceptedTask();
  const html = Buffer.from('<html><script>alert(1)</script></html>');
  const refused = [
    dataUrl(html),
    dataUrl(JPEG, 'image/png'),
    dataUrl(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), 'image/svg+xml'),
    dataUrl(PNG, 'text/html'),
    dataUrl(PNG, 'IMAGE/PNG'),
    `data:image/png,${PNG.toString('latin1').replaceAll('\0', '')}`,
    `${dataUrl(PNG)}!`,
    `${dataUrl(PNG)}\n`,
    'https://evil.example/x.png',
    '',
  ];
  for (const photo of refused) {
    const { status, body, text } = await prove(task, { photo });
    assert.deepEqual([status, body.message], [400, [`photo ${NOT_AN_IMAGE}`]], `${photo}: ${text}`);
  }
  assert.equal((await proofsOf(task)).count, 0);
});

test('one proof is given at a time', async () => {
  const task = await acceptedTask();
  for (const body of [{}, { photo: dataUrl(PNG), pin: pinOf(task) }, { photo: null, signature: null }]) {
    const { status, body: told } = await prove(task, body);
    assert.deepEqual([status, told.message], [400, ['exactly one of photo, signature and pin must be given']]);
  }
  for (const pin of ['123', '12345', 'abcd', '１２３４'])
    assert.deepEqual((await prove(task, { pin })).body.message, ['pin must be 4 digits'], pin);
});

test('an image is as large as it may be, and no larger', async () => {
  const task = await acceptedTask();
  const chars = 524_288 - dataUrl(Buffer.alloc(0)).length;
  const largest = Buffer.concat([PNG, Buffer.alloc(Math.floor(chars / 4) * 3 - PNG.length)]);
  assert.equal((await prove(task, { signature: dataUrl(largest) })).status, 201);
  const { status, body } = await prove(task, { signature: dataUrl(Buffer.concat([largest, Buffer.alloc(3)])) });
  assert.deepEqual([status, body.message], [400, ['signature must be at most 524288 characters']]);
});

test('only a task that was accepted and not cancelled takes proofs', async () => {
  const { staff, driver, agentId } = place;
  const task = await staff.createTask();
  const refused = async () => {
    const { status, body } = await staff.post(`/tasks/${task.id}/proof`, { photo: dataUrl(PNG) });
    assert.deepEqual([status, body.code], [409, 'PROOF_NOT_EXPECTED']);
  };
  await refused();
  await staff.post(`/tasks/${task.id}/assign`, { agentId });
  await refused();
  for (const status of ['accepted', 'in_transit', 'completed']) {
    assert.equal((await driver.put(`/tasks/${task.id}/status`, { status })).status, 200);
    assert.equal((await prove(task, { photo: dataUrl(PNG) })).status, 201, status);
  }
  const cancelled = await acceptedTask();
  await staff.put(`/tasks/${cancelled.id}/status`, { status: 'cancelled' });
  assert.equal((await prove(cancelled, { photo: dataUrl(PNG) })).body.code, 'PROOF_NOT_EXPECTED');
});

test('an agent proves and sees its own tasks alone, and nobody those of another organization', async () => {
  const { staff, driver } = place;
  const stranger = await fixture.organization();
  const mine = await acceptedTask();
  const { body } = await prove(mine, { photo: dataUrl(PNG) });
  const others = await staff.createTask();
  const read = (await driver.get(`/tasks/${others.id}`)).text;
  assert.equal((await driver.post(`/tasks/${others.id}/proof`, { photo: dataUrl(PNG) })).text, read);
  assert.equal((await driver.get(`/tasks/${others.id}/proof`)).text, read);
  assert.equal((await driver.get(`/tasks/${mine.id}/proof/${body.data.id}`)).status, 200);
  for (const path of ['proof', `proof/${body.data.id}`])
    assert.equal((await stranger.api.get(`/tasks/${mine.id}/${path}`)).status, 404, path);
  const elsewhere = await staff.get(`/tasks/${others.id}/proof/${body.data.id}`);
  assert.deepEqual([elsewhere.status, elsewhere.body.message], [404, `Proof with ID ${body.data.id} not found`]);
});

test('a task has twenty proofs at most', async () => {
  const task = await acceptedTask();
  for (let count = 0; count < 20; count++) assert.equal((await prove(task, { photo: dataUrl(PNG) })).status, 201);
  assert.equal((await prove(task, { photo: dataUrl(PNG) })).body.code, 'TOO_MANY_PROOFS');
  assert.equal((await proofsOf(task)).count, 20);
});

test('a proof that is sent again under its key is there once', async () => {
  const task = await acceptedTask();
  const key = { 'idempotency-key': 'proof-1' };
  const first = await prove(task, { photo: dataUrl(PNG) }, key);
  const again = await prove(task, { photo: dataUrl(PNG) }, key);
  assert.deepEqual([again.status, again.body.data], [201, first.body.data]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal((await prove(task, { photo: dataUrl(JPEG, 'image/jpeg') }, key)).status, 422);
  assert.equal((await proofsOf(task)).count, 1);
});

test('the author of a proof stands in the audit log', async () => {
  const task = await acceptedTask();
  const { body } = await prove(task, { photo: dataUrl(PNG) });
  const { organizationId } = place;
  const lines = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ action: string; after: object }[]>`
      SELECT action, after FROM audit_access
      WHERE organization_id = ${organizationId} AND record_type = 'task' AND record_id = ${task.id}`,
  );
  assert.deepEqual(
    lines.map(({ action, after }) => [action, after]),
    [['task.proof_added', body.data]],
  );
});

test('the PIN of the tracking page proves a delivery', async () => {
  const task = await acceptedTask();
  const { status, body } = await prove(task, { pin: pinOf(task) });
  assert.equal(status, 201);
  const { kind, contentType, fileUrl } = body.data;
  assert.deepEqual([kind, contentType, fileUrl], ['pin', null, null]);
  assert.ok(!JSON.stringify(body.data).includes(`"${pinOf(task)}"`));
});

test('a wrong PIN gets the number of attempts left, and after the fifth none counts any more', async () => {
  const task = await acceptedTask();
  for (const attemptsLeft of [4, 3, 2, 1, 0]) {
    const { status, body } = await prove(task, { pin: wrongPinOf(task) });
    assert.deepEqual([status, body.code, body.details], [409, 'PIN_MISMATCH', { attemptsLeft }]);
  }
  for (const pin of [wrongPinOf(task), pinOf(task)]) assert.equal((await prove(task, { pin })).body.code, 'PIN_LOCKED');
  assert.equal((await prove(task, { photo: dataUrl(PNG) })).status, 201);
  assert.deepEqual(
    (await proofsOf(task)).items.map(({ kind }) => kind),
    ['photo'],
  );
});

test('a wrong PIN that is sent again under its key counts once', async () => {
  const task = await acceptedTask();
  const key = { 'idempotency-key': 'pin-1' };
  const tries = [await prove(task, { pin: wrongPinOf(task) }, key), await prove(task, { pin: wrongPinOf(task) }, key)];
  for (const { body } of tries) assert.deepEqual(body.details, { attemptsLeft: 4 });
});

test('a wrong PIN that comes several times at once under its key counts once, and each gets its answer', async () => {
  const task = await acceptedTask();
  const wrong = { pin: wrongPinOf(task) };
  assert.deepEqual((await prove(task, wrong)).body.details, { attemptsLeft: 4 });
  const tries = await withSql(fixture.gateway.databaseUrl, async (sql) => {
    // Its row is held until both have looked whether the key has an answer.
    await sql`BEGIN`;
    await sql`SELECT FROM task_pins WHERE task_id = ${task.id} FOR UPDATE`;
    const asked = Promise.all([1, 2].map(() => prove(task, wrong, { 'idempotency-key': 'pin-2' })));
    // On another connection: a transaction sees the activity of its beginning.
    await withSql(fixture.gateway.databaseUrl, (watching) =>
      until('both wait', async () => {
        const waiting = await watching`
          SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND application_name = 'dispatch proofs'`;
        return waiting.length === 2;
      }),
    );
    await sql`COMMIT`;
    return asked;
  });
  for (const { status, body } of tries) {
    assert.deepEqual([status, body.code, body.details], [409, 'PIN_MISMATCH', { attemptsLeft: 3 }]);
  }
  assert.equal(tries.filter(({ headers }) => headers['idempotency-replayed'] === 'true').length, 1);
  assert.deepEqual((await prove(task, wrong)).body.details, { attemptsLeft: 2 });
});

test('however many PINs are tried at once, five are', async () => {
  const task = await acceptedTask();
  const tries = await Promise.all(Array.from({ length: 30 }, () => prove(task, { pin: wrongPinOf(task) })));
  const codes = tries.map(({ body }) => body.code);
  assert.equal(codes.filter((code) => code === 'PIN_MISMATCH').length, 5);
  assert.equal(codes.filter((code) => code === 'PIN_LOCKED').length, 25);
  const left = tries.flatMap(({ body }) => (body.code === 'PIN_MISMATCH' ? [body.details['attemptsLeft']] : []));
  assert.deepEqual(left.sort(), [0, 1, 2, 3, 4]);
});

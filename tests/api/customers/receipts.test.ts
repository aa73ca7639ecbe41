import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiReply } from '../../support/api-client.ts';
import { HOSTILE_TEXTS } from '../../support/seeds/hostile-texts.ts';
import { seedAgent, seedSession, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

const receipt = (taskId: number, query = '') => fixture.api.get(`/tasks/${taskId}/print/receipt${query}`);
const receipts = (taskIds: readonly number[], query = '') =>
  fixture.api.get(`/tasks/print/receipts?ids=${taskIds.join(',')}${query}`);
/** The codes of the receipts in a document, in their order. */
const codesIn = ({ text }: ApiReply) =>
  [...text.matchAll(/<p class="code" dir="auto">([^<]*)</g)].map(([, code]) => code);

test('a receipt shows the type of a task, its customer, place, time and amount', async () => {
  const { api } = fixture;
  const task = await api.createTask({
    code: 'ORDER-17',
    location: { address: '12 St James Square', latitude: 51.5, longitude: -0.1, building: 'North', floor: '3' },
    pickupLocation: { address: '1 Market Hall', latitude: 51.5, longitude: -0.1 },
    packages: [{ name: 'Box of books', quantity: 2, weight: 4.5, isFragile: true, barcode: '4006381333931' }],
    windowStart: '2031-05-01T12:00:00+02:00',
    notes: 'Ring twice',
  });
  const paid = await api.post('/payments/cash', { taskId: task.id, amount: '12.50' });
  assert.equal(paid.status, 201, paid.text);
  const { status, text } = await receipt(task.id);
  assert.equal(status, 200, text);
  const shown = [
    'Test organization',
    'ORDER-17',
    'Two boxes of books',
    'Ada Lovelace',
    '+44 2079460001',
    '12 St James Square',
    'North',
    '1 Market Hall',
    'Packages (2 pieces)',
    'Box of books',
    '4.5 kg each',
    'Fragile',
    '4006381333931',
    '2031-05-01 10:00',
    'Ring twice',
    `12.50 ${paid.body.data.currency}`,
  ];
  for (const words of shown) assert.ok(text.includes(`>${words}<`), words);
  assert.equal(text.match(/<svg /g)?.length, 2, 'a barcode and a QR code');
});

test('a receipt names the reference of the payment unless it shows nothing', async () => {
  const { api } = await fixture.organization({ role: 'dispatcher' });
  for (const [reference, isShown] of [
    ['Order 17', true],
    ['', false],
    [' \u200b', false],
  ] as const) {
    const { id: taskId } = await api.createTask();
    const paid = await api.post('/payments/cash', { taskId, amount: '12.50', reference });
    assert.equal(paid.status, 201, paid.text);
    const { text } = await api.get(`/tasks/${taskId}/print/receipt`);
    assert.equal(text.includes('<dt>Reference</dt>'), isShown, JSON.stringify(reference));
  }
});

test('a receipt names the person to meet instead of the customer', async () => {
  const { api } = await fixture.organization({ role: 'dispatcher' });
  const { id } = await api.createTask();
  const shown = async () => (await api.get(`/tasks/${id}/print/receipt`)).text;
  assert.ok(!(await shown()).includes('>Contact<'));
  const amended = await api.post(`/tasks/${id}/amend`, { contact: { name: 'Bo <Li>', phone: '+442079460955' } });
  assert.equal(amended.status, 200, amended.text);
  const text = await shown();
  for (const words of ['Contact', 'Bo &lt;Li&gt;', '+442079460955', 'Ada Lovelace'])
    assert.ok(text.includes(`>${words}<`), words);
});

test('a receipt is a page of its own that may run nothing, load nothing and be kept nowhere', async () => {
  const { id } = await fixture.api.createTask();
  const { headers, text } = await receipt(id);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.match(text, /^<!doctype html>/);
  const policy = headers['content-security-policy'] as string;
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'none';/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-content-type-options'], 'nosniff');
});

test('receipts answer without the prefix, too', async () => {
  const { id, code } = await fixture.api.createTask();
  const { key } = fixture.gateway;
  for (const path of [`/tasks/${id}/print/receipt`, `/tasks/print/receipts?ids=${id}`]) {
    const reply = await fixture.api.raw({ method: 'GET', path, headers: { 'x-api-key': key } });
    assert.deepEqual([reply.status, codesIn(reply)], [200, [code]], path);
  }
});

test('paper is 80 mm wide unless 58 mm are asked for, and there is no other', async () => {
  const { id } = await fixture.api.createTask();
  for (const [query, width] of [
    ['', '80mm'],
    ['?width=', '80mm'],
    ['?width=80mm', '80mm'],
    ['?width=58mm', '58mm'],
  ] as const)
    assert.ok((await receipt(id, query)).text.includes(`@page { size: ${width} `), query);
  for (const width of ['80', '58 mm', '210mm', '0', '80mm;}', 'A4']) {
    const { status, body } = await receipt(id, `?width=${encodeURIComponent(width)}`);
    assert.deepEqual([status, body.message], [400, ['width must be one of: 80mm, 58mm']], width);
  }
});

test('several receipts stand in one document in the order of their ids, each once', async () => {
  const { api } = fixture;
  const [a, b, c] = await Promise.all([api.createTask(), api.createTask(), api.createTask()]);
  const reply = await receipts([c.id, a.id, c.id, b.id], '&width=58mm');
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(codesIn(reply), [c.code, a.code, b.code]);
});

test('a hundred receipts are printed at a time, and no more', async () => {
  const { api } = fixture;
  const ids: number[] = [];
  for (let count = 0; count < 20; count++) ids.push((await api.createTask()).id);
  const hundred = [...ids, ...Array.from({ length: 80 }, () => ids[0]!)];
  assert.equal((await receipts(hundred)).status, 200);
  const { status, body } = await receipts([...hundred, ids[0]!]);
  assert.deepEqual([status, body.message], [400, ['ids must hold at most 100 items']]);
});

for (const [ids, violation] of [
  ['', 'ids is required'],
  [',', 'ids is required'],
  ['1,x', 'ids.1 must be a positive integer'],
  ['0', 'ids.0 must be a positive integer'],
] as const) {
  test(`receipts of the ids "${ids}" are refused: ${violation}`, async () => {
    const { status, body } = await fixture.api.get(`/tasks/print/receipts?ids=${ids}`);
    assert.deepEqual([status, body.message], [400, [violation]]);
  });
}

test('one task that is unknown, or of another organization, refuses all receipts as its single read does', async () => {
  const { api, organization } = fixture;
  const { id } = await api.createTask();
  const foreign = await (await organization()).api.createTask();
  for (const wrong of [foreign.id, 999_000_111]) {
    const read = await api.get(`/tasks/${wrong}`);
    for (const reply of [await receipts([id, wrong]), await receipt(wrong)])
      assert.deepEqual([reply.status, reply.text], [404, read.text]);
  }
});

test('agents print the receipts of their own tasks alone', async () => {
  const { databaseUrl } = fixture.gateway;
  const { api, organizationId } = await fixture.organization();
  const { agentId, userId } = await seedAgent(databaseUrl, organizationId);
  const driver = fixture.clientOf(await seedSession(databaseUrl, organizationId, userId));
  const [own, other] = await Promise.all([api.createTask(), api.createTask()]);
  await api.post(`/tasks/${own.id}/assign`, { agentId });
  assert.equal((await driver.get(`/tasks/${own.id}/print/receipt`)).status, 200);
  assert.equal((await driver.get(`/tasks/${other.id}/print/receipt`)).status, 404);
  assert.equal((await driver.get(`/tasks/print/receipts?ids=${own.id},${other.id}`)).status, 404);
});

test('a job shows its stops', async () => {
  const child = (address: string) => ({
    name: `Stop at ${address}`,
    taskType: 'delivery',
    customer: { name: 'Ada Lovelace', phone: '+442079460001' },
    location: { address, latitude: 1, longitude: 2 },
  });
  const { id } = await fixture.api.createTask({ children: [child('First Street'), child('Second Street')] });
  const { text } = await receipt(id);
  for (const words of ['Stops (2)', 'Stop at First Street', 'Second Street'])
    assert.ok(text.includes(`>${words}<`), words);
});

test('a request that would make too large a document is refused, but a single receipt never is', async () => {
  const { api } = fixture;
  const parcels = Array.from({ length: 100 }, () => ({ name: 'x', notes: 'n'.repeat(9_000) }));
  const tasks: TaskView[] = [];
  for (let count = 0; count < 5; count++) tasks.push(await api.createTask({ packages: parcels }));
  const ids = tasks.map(({ id }) => id);
  const { status, body } = await receipts(ids);
  assert.deepEqual([status, body.code], [409, 'TASK_TOO_LARGE']);
  assert.equal((await receipt(ids[0]!)).status, 200);
});

test('no text of a record adds a tag to its receipt, or takes one away', async () => {
  const { api } = fixture;
  const receiptWith = async (text: string) => {
    const { id } = await api.createTask({
      name: text,
      description: text,
      notes: text,
      customer: { name: text, phone: '+442079460002' },
      location: { address: text, latitude: 1, longitude: 2, building: text, floor: text, apartment: text },
      packages: [{ name: text, notes: text, barcode: text }],
    });
    return receipt(id);
  };
  const tagsOf = (reply: ApiReply) =>
    reply.text
      .replace(/<svg[\s\S]*?<\/svg>/g, '')
      // Runs of text that keep to themselves are text.
      .replaceAll(/<span class="ltr">([^<]*)<\/span>/g, '$1')
      .match(/<[^>]*>?/g)
      ?.map((tag) => tag.trim());
  const harmless = tagsOf(await receiptWith('harmless'));
  assert.ok(harmless!.length > 40);
  for (const [name, text] of Object.entries(HOSTILE_TEXTS))
    assert.deepEqual(tagsOf(await receiptWith(text)), harmless, name);
});

test('the name of the organization is escaped as well', async () => {
  const { gateway, api } = fixture;
  const { id } = await api.createTask();
  await withSql(gateway.databaseUrl, async (sql) => {
    await sql`UPDATE organizations SET name = '<b>&"Ali' WHERE organization_id = ${gateway.organizationId}`;
  });
  assert.ok((await receipt(id)).text.includes('<h1 dir="auto">&lt;b&gt;&amp;&quot;Ali</h1>'));
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { VERBS } from '../../../gateway/admin-cli/parse-verb.ts';
import { runAdmin } from '../../../gateway/admin-cli/run-admin.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { seedUser, withSql } from '../../support/seeds/seed.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';

/** `npm run admin -- payments`, each verb once; the rest is in admin.test.ts. */

let gateway: TestGateway;
let api: ApiClient;
before(async () => {
  gateway = await startTestGateway();
  api = createApiClient(gateway);
  await seedUser(gateway.databaseUrl, 0, 'super_admin');
});
after(async () => {
  api?.close();
  await gateway?.stop();
});

const carriedOut = new Set<string>();

async function run(verb: string, ...args: string[]) {
  const { databaseUrl: DATABASE_URL, baseUrl: ADMIN_URL, organizationId } = gateway;
  const typed = ['payments', verb, ...args, '--organization', `${organizationId}`, '--json'];
  const ended = await runAdmin(typed, { DATABASE_URL, ADMIN_URL }, () => assert.fail('nothing was to be typed'));
  if (ended.exitCode === 0) carriedOut.add(verb);
  return ended;
}

/** Runs a command that has to succeed; its answer. */
async function done<T = Record<string, unknown>>(verb: string, ...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await run(verb, ...args);
  assert.deepEqual([exitCode, stderr], [0, ''], verb);
  return JSON.parse(stdout) as T;
}

interface Page {
  readonly items: readonly Record<string, unknown>[];
  readonly count: number;
}

test('payments are listed, shown and refunded, and open steps at a provider are listed and hurried', async () => {
  const { databaseUrl, organizationId } = gateway;
  const [first, second] = [await api.createTask(), await api.createTask()];
  const cash = await api.post<{ id: number }>('/payments/cash', { taskId: first.id, amount: '1.00' });
  const online = await api.post<{ id: number }>('/payments/initialize', { taskId: second.id, amount: '2.00' });
  const [paid, open] = [`${cash.body.data.id}`, `${online.body.data.id}`];
  const list = await done<Page>('list', '--status', 'pending', '--task', `${second.id}`);
  assert.deepEqual([list.count, `${list.items[0]!['id']}`], [1, open]);
  assert.equal((await done('refund', paid, '--reason', 'wrong'))['status'], 'refunded');
  assert.equal((await done('show', paid))['status'], 'refunded');
  assert.equal((await done<Page>('audit', paid)).count, 2);

  const steps = () => done<Record<string, unknown>[]>('steps');
  const noted = { paymentId: Number(open), provider: 'test', step: 'create_checkout', attempts: 0, lastError: null };
  assert.deepEqual(await steps(), [{ ...noted, dueAt: null }]);
  await withSql(
    databaseUrl,
    (sql) => sql`
    INSERT INTO payment_attempts (organization_id, payment_id, step, attempts, due_at, last_error)
    VALUES (${organizationId}, ${open}, 'create_checkout', 7, now() + interval '1 hour', 'no answer')`,
  );
  const step = { id: Number(open), step: 'create_checkout', attempts: 7, lastError: 'no answer' };
  assert.deepEqual(await done('retry', open), step);
  const [told] = await steps();
  assert.deepEqual([told!['attempts'], told!['lastError']], [7, 'no answer']);
  assert.ok(Date.parse(`${told!['dueAt']}`) <= Date.now());
  const { exitCode, stderr } = await run('retry', paid);
  assert.deepEqual([exitCode, /nothing is left to do/.test(stderr)], [1, true]);
});

test('every verb has been carried out here', () => {
  const verbs = VERBS.filter(({ noun }) => noun === 'payments').map(({ verb }) => verb);
  assert.deepEqual([...carriedOut].sort(), verbs.sort());
});

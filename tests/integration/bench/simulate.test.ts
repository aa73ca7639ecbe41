import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseSimulateOptions } from '../../../bench/simulate/simulate-options.ts';
import { writeDemoFacts } from '../../../engine/launcher/demo-facts.ts';
import { type DemoOrganization, ensureDemoOrganization } from '../../../engine/launcher/demo-organization.ts';
import { createApiClient } from '../../support/api-client.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { runEnvironment } from '../../support/runner/run-environment.ts';
import { SECRETS } from '../../support/secrets.ts';
import { createFaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import { createTestPlace, startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { startWorkersProcess, type WorkersProcess } from '../workers/workers-place.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const commits = createFaultyCommitStore();
let gateway: TestGateway;
let directory: string;
let demo: DemoOrganization;
let workers: WorkersProcess;

before(async () => {
  const place = await createTestPlace();
  demo = await ensureDemoOrganization(place.databaseUrl, { baseUrl: '' });
  gateway = await startTestGateway({ place, wrapCommitStore: commits.wrap });
  const { databaseUrl, redisUrl, redisPrefix } = place;
  workers = await startWorkersProcess({
    ...{ ...SECRETS, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_PREFIX: redisPrefix },
  });
  directory = mkdtempSync(join(tmpdir(), 'dispatch-simulate-'));
  writeDemoFacts(join(directory, 'demo.json'), { ...demo, baseUrl: gateway.baseUrl });
});
after(async () => {
  rmSync(directory, { recursive: true, force: true });
  await workers.kill();
  await gateway.stop();
  await gateway.place.drop();
});

interface Summary {
  readonly points: { readonly accepted: number; readonly rejected: number };
  readonly tasks: { readonly created: number; readonly pickedUp: number; readonly open: number };
  readonly offers: { readonly made: number; readonly accepted: number };
  readonly agentToStream: { readonly count: number };
  readonly errors: Readonly<Record<string, { readonly count: number; readonly example: string }>>;
}

/** The simulator as an operator starts it, with `--json`; `databaseUrl` is what the environment says. */
function simulate(args: readonly string[], databaseUrl?: string) {
  const environment = { ...runEnvironment(), DATA_DIR: directory };
  const child = spawn(process.execPath, ['--import', 'tsx', 'bench/simulate.ts', '--json', ...args], {
    cwd: ROOT,
    env: databaseUrl === undefined ? environment : { ...environment, DATABASE_URL: databaseUrl },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended };
}

test('drivers sign in, report, are seen, accept offers and fetch; missing ones are made; in the end nothing is left open', async () => {
  const args = ['--agents', '20', '--rate', '0.5', '--tasks-per-minute', '10', '--speed', '20'];
  const { child, ended } = simulate(args, gateway.databaseUrl);
  const api = createApiClient({ baseUrl: gateway.baseUrl, key: demo.apiKey });
  const countOf = async (query: string) => (await api.list(`${query}limit=1`)).body.data.count;
  try {
    await untilPositionsTold(40);
    await until('tasks are made and worked', async () => (await countOf('status=in_transit,completed&')) >= 1);
    // Creations come up behind the commit that is held, and are answered when the simulation is over.
    const held = commits.hold();
    await held.arrived;
    await delay(1_000);
    child.kill('SIGINT');
    await delay(500);
    held.release();
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    const { points, tasks, offers, agentToStream, errors } = JSON.parse(stdout) as Summary;
    assert.deepEqual(errors, {});
    assert.ok(points.accepted >= 40, `${points.accepted} points were accepted`);
    assert.equal(points.rejected, 0);
    assert.ok(agentToStream.count >= 20, `${agentToStream.count} positions were seen`);
    assert.ok(tasks.created >= 1 && tasks.pickedUp >= 1, `tasks: ${JSON.stringify(tasks)}`);
    assert.ok(offers.made >= offers.accepted && offers.accepted >= 1, `offers: ${JSON.stringify(offers)}`);
    assert.deepEqual([tasks.open, await countOf(OPEN)], [0, 0]);
    const onDuty = await api.get<{ count: number }>('/agents?onDuty=true');
    assert.equal(onDuty.body.data.count, 0);
  } finally {
    child.kill('SIGKILL');
    api.close();
  }
});

test('without a database at hand agents sign in by their passwords; refusals of the server are shown, and the exit code says so', async () => {
  const api = createApiClient({ baseUrl: gateway.baseUrl, key: await superAdminToken() });
  const limited = await api.patch<unknown>(`/organizations/${demo.organizationId}`, { limits: { tasks: 1 } });
  api.close();
  assert.equal(limited.status, 200, limited.text);
  const args = ['--agents', '2', '--tasks-per-minute', '600', '--duration', '3'];
  const { code, stdout, stderr } = await simulate(args).ended;
  const { points, errors } = JSON.parse(stdout) as Summary;
  assert.deepEqual(Object.keys(errors), ['403 PACKAGE_LIMIT_EXCEEDED'], stderr);
  assert.ok(points.accepted > 0);
  assert.equal(code, 1);
});

test('unusable options are rejected with the usage, and a missing demo with the command that writes it', async () => {
  for (const args of [
    ['--agents', '0'],
    ['--speed', '21'],
    ['--center', '91,0'],
    ['--scenario', 'rush'],
    ['--base-url', 'localhost'],
    ['--what'],
  ]) {
    assert.throws(() => parseSimulateOptions(args, directory), /Usage: npm run simulate/, args.join(' '));
  }
  const { code, stderr } = await simulate(['--demo', join(directory, 'nothing.json')]).ended;
  assert.equal(code, 1);
  assert.match(stderr, /nothing\.json is not there: `npm start` writes it/);
});

const OPEN = 'status=new,awaiting_assignment,assigned,accepted,in_transit&';

/** Resolves when a stream has had this many positions of an agent. */
async function untilPositionsTold(count: number): Promise<void> {
  const { organizationId, apiKey: key } = demo;
  const stream = await openEventStream(gateway.baseUrl, {
    organizationId,
    key,
    query: 'types=agent.locations_updated',
  });
  for (let told = 0; told < count; ) {
    const { event, data } = await stream.next();
    if (event === 'agent.locations_updated') told += (data.data as unknown as { items: unknown[] }).items.length;
  }
  stream.close();
}

async function superAdminToken(): Promise<string> {
  const api = createApiClient(gateway);
  const login = await api.raw<{ accessToken: string }>({
    method: 'POST',
    path: '/api/v1/auth/login',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(demo.superAdmin),
  });
  api.close();
  return login.body.data.accessToken;
}

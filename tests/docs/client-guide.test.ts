import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DemoOrganization } from '../../engine/launcher/demo-organization.ts';
import { createClient } from '../../gateway/client/create-client.ts';
import { Session } from '../../gateway/client/session.ts';
import { RUN_VARIABLE } from '../support/runner/leftover-processes.ts';
import { SECRETS } from '../support/secrets.ts';
import { createMigratedDatabase, type TestDatabase, testRedis } from '../support/stores.ts';
import { reservePort } from '../support/system/reserve-port.ts';
import { until } from '../support/until.ts';

/**
 * A stranger's way: `npm start`, an empty project outside the repository, `npm i <address>/client.tgz`, and the programs
 * of the guide. The registry of npm cannot be reached.
 */

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE = 'docs/guides/client.md';
/** The compiler of the tree, and its types of Node, in place of those that a stranger would install. */
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const COMPILER_OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  types: ['node'],
  outDir: 'out',
};

const environment = { PATH: process.env['PATH'], [RUN_VARIABLE]: process.env[RUN_VARIABLE] };
let folder: string;
let project: string;
let stop: () => Promise<void>;
let database: TestDatabase;
let demo: DemoOrganization;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dispatch-client-'));
  project = join(folder, 'project');
  mkdirSync(project);
  database = await createMigratedDatabase();
  stop = await startService();
  demo = JSON.parse(readFileSync(join(folder, 'data', 'demo.json'), 'utf8'));
  await installClient();
});
after(async () => {
  await stop?.();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** `npm start`, with the stores of the run. Resolves to its end by Ctrl-C. */
async function startService(): Promise<() => Promise<void>> {
  const redis = testRedis();
  const port = await reservePort();
  const child = spawn(process.execPath, ['engine/launcher/start.mjs'], {
    cwd: ROOT,
    env: {
      ...environment,
      ...SECRETS,
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      REDIS_PREFIX: redis.prefix,
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
    },
  });
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr])
      createInterface(output).on('line', (line) => {
        lines.push(line);
        if (line.includes('Ready at')) resolve();
      });
    child.once('exit', () => reject(new Error(`npm start ended:\n${lines.join('\n')}`)));
  });
  return async () => {
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
  };
}

async function installClient(): Promise<void> {
  writeFileSync(join(project, 'package.json'), '{"type": "module", "private": true}');
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: [] }));
  const options = ['--no-audit', '--no-fund', '--registry=http://127.0.0.1:9', `--cache=${join(folder, 'cache')}`];
  await run('npm', ['install', ...options, `${demo.baseUrl}/client.tgz`], { cwd: project, env: environment });
  mkdirSync(join(project, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
}

/** The programs of the guide, by their names. */
function programsOfGuide(): Map<string, string> {
  const programs = readFileSync(GUIDE, 'utf8').matchAll(/^```ts\n\/\/ ([\w-]+\.ts)\n(.*?)^```$/gms);
  return new Map([...programs].map(([, name, text]) => [name!, text!]));
}

function runProgram(name: string, variables: Readonly<Record<string, string>>) {
  const env = { ...environment, URL: demo.baseUrl, ...variables };
  return run(process.execPath, [join('out', name)], { cwd: project, env, timeout: 60_000 });
}

test('the programs of the guide compile against the installed package, and run', async () => {
  const programs = programsOfGuide();
  assert.deepEqual([...programs.keys()], ['first-delivery.ts', 'signed-in.ts', 'page.ts']);
  const first = programs.get('first-delivery.ts')!;
  assert.ok(first.split('\n').filter((line) => line.trim() !== '').length <= 25, 'the first program is short');
  const port = await reservePort();
  for (const [name, text] of programs) writeFileSync(join(project, name), text.replaceAll('9977', String(port)));
  const config = { extends: './tsconfig.json', files: [...programs.keys()] };
  writeFileSync(join(project, 'tsconfig.programs.json'), JSON.stringify(config));
  await run(process.execPath, [TSC, '-p', 'tsconfig.programs.json'], { cwd: project, env: environment }).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout),
  );

  const api = createClient({ baseUrl: demo.baseUrl, apiKey: demo.apiKey });
  // One of an earlier run, which ended too early to delete it: its deliveries have another secret.
  const { data: earlier } = await api.post('/webhooks', {
    body: { url: `http://127.0.0.1:${port}/`, events: ['task.*'] },
  });
  const leaving = new AbortController();
  const program = runProgram('first-delivery.js', { KEY: demo.apiKey });
  // The program ends with the delivery, and takes no webhooks then.
  const hook = new Promise<void>((resolve) => {
    program.child.stdout!.on('data', (chunk) => {
      if (String(chunk).includes('webhook')) resolve();
    });
  });
  const refused = hook.then(() =>
    until('the program refuses a delivery with another secret', async () => {
      const { data } = await api.get('/webhooks/{id}/deliveries', { path: { id: earlier.id } });
      return data.items.some(({ attempts }) => attempts.some(({ status }) => status === 400));
    }),
  );
  const driving = drive(refused, leaving.signal);
  const { stdout } = await program;
  leaving.abort();
  await driving;
  const lines = stdout.trim().split('\n');
  const statuses = lines.filter((line) => line.startsWith('stream ')).map((line) => line.slice('stream '.length));
  assert.deepEqual(statuses, ['awaiting_assignment', 'assigned', 'accepted', 'in_transit', 'completed']);
  // Others may still be on their way when the program ends.
  assert.ok(lines.includes('webhook task.created'), stdout);
  const { data: left } = await api.get('/webhooks');
  assert.deepEqual(
    left.items.map(({ id }) => id),
    [earlier.id],
    'the program deletes its webhook',
  );

  const { email, password } = demo.orgAdmin;
  const signedIn = await runProgram('signed-in.js', { EMAIL: email, PASSWORD: password });
  assert.equal(signedIn.stdout, '0 late tasks\nno such task\n');
});

/** The app of a driver near the place: goes on duty, accepts the first offer, and delivers its task when `mayEnd` says so. */
async function drive(mayEnd: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { email, password } = demo.agents[0]!;
  const session = new Session({ baseUrl: demo.baseUrl });
  await session.signIn({ email, password });
  const app = createClient({ baseUrl: demo.baseUrl, session });
  const me = { path: { id: 'me' } } as const;
  // From here on its stream shows every offer.
  const { position } = await app.get('/agents/{id}', me);
  await app.put('/agents/{id}/duty', { ...me, body: { onDuty: true } });
  const point = { latitude: 51.508, longitude: -0.135, recordedAt: new Date().toISOString() };
  await app.post('/agents/me/locations', { body: { points: [point] } });
  for await (const event of app.follow({ lastEventId: position, signal })) {
    if (event.type !== 'assignment_request.created') continue;
    const { id, taskId } = event.data.assignmentRequest;
    await app.post('/assignment-requests/{id}/accept', { path: { id } });
    await app.put('/tasks/{id}/status', { path: { id: taskId }, body: { status: 'in_transit' } });
    await mayEnd;
    await app.put('/tasks/{id}/status', { path: { id: taskId }, body: { status: 'completed' } });
  }
}

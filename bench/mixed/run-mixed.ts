import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { WEIGHED, weighServer } from '../life/weigh-server.ts';
import { residentMiB } from '../measure/process-cpu.ts';
import { verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { formatTable } from '../report/table.ts';
import { seedAgents } from '../seed/seed-agents.ts';
import { SECRETS_KEY, startServer } from '../stand/server-process.ts';
import { startTemporaryStores } from '../stand/temporary-stores.ts';
import { startWorkers } from '../stand/workers-process.ts';
import { type Followed, openSink, openStreams } from './followers.ts';
import { judgeMixed, type Minute, mixedVoidReasons } from './judge-mixed.ts';
import { liveAt, MOST_BEHIND } from './live-at.ts';
import { type MixedOptions, parseMixedOptions } from './mixed-options.ts';
import { KINDS, TaskLives } from './task-life.ts';

const AGENTS = 200;
/** One has 500 requests a second, and a life takes three. */
const DISPATCHERS = 4;
const MIB = 1_048_576;
/** An access token lives 15 minutes. */
const TOKEN_MS = 10 * 60_000;

/** `npm run bench -- mixed`: everything at once. Resolves to 1 when its figures prove nothing. */
export async function runMixed(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const options = parseMixedOptions(args);
  const stand = await openGround(options, releaser, signal);
  const { lives, followed } = stand;
  say(`${options.streams} streams, ${AGENTS} agents, one webhook; a life is about nine requests, three of them steps`);
  const most = await findMost(lives, options, signal);
  say(`the most: ${most.toFixed(0)} lives a second; now half of them`, '');

  const minutes: Minute[] = [];
  let behind = 0;
  for (let left = options.minutes; left > 0.001 && behind < MOST_BEHIND; left -= 1) {
    const seconds = Math.min(1, left) * 60;
    const startedWith = lives.ended;
    behind = await liveAt(lives, most / 2, seconds, signal);
    const times = lives.takeTimes();
    // Before the heap is weighed, which collects garbage.
    const gatewayMiB = residentMiB(stand.gatewayPid);
    const { heap } = await weighServer(stand.gatewayPid, stand.weightFile);
    minutes.push({
      lives: (lives.ended - startedWith) / seconds,
      p50Ms: times.all.percentile(0.5)!,
      p99Ms: times.all.percentile(0.99)!,
      byKind: Object.fromEntries(KINDS.map((kind) => [kind, times[kind].percentile(0.99) ?? 0])),
      gatewayMiB,
      heapMiB: heap / MIB,
      workersMiB: residentMiB(stand.workersPid),
      redisMiB: await stand.redisMiB(),
    });
    say(lineOf(minutes.length, minutes.at(-1)!));
  }
  say(
    '',
    table(minutes),
    '',
    `${followed.events} events on streams, ${followed.deliveries} deliveries, ${followed.ended} streams ended`,
  );
  say(...verdictLines(judgeMixed(minutes)));
  const voidReasons = mixedVoidReasons(options.minutes, behind, followed);
  if (voidReasons.length > 0)
    say('', 'VOID, these numbers prove nothing:', ...voidReasons.map((reason) => `  ${reason}`));
  if (options.jsonFile !== undefined)
    writeFileSync(options.jsonFile, `${JSON.stringify({ options, most, minutes, followed, voidReasons })}\n`);
  return voidReasons.length > 0 ? 1 : 0;
}

async function openGround(options: MixedOptions, releaser: Releaser, signal: AbortSignal) {
  const stores = await startTemporaryStores(releaser, signal);
  const { demo } = stores;
  const weightFile = join(stores.directory, 'weight');
  const environment = { WEIGHT_FILE: weightFile, WEBHOOK_ALLOW_PRIVATE: '1' };
  const plan = { name: 'mixed', program: WEIGHED, readyPath: '/readyz', environment };
  const gateway = await startServer(plan, stores, releaser, signal);
  const databaseUrl = Object.assign(new URL(stores.postgres.url), { pathname: `/${gateway.database}` }).href;
  const places = { DATABASE_URL: databaseUrl, REDIS_URL: stores.redis.url, REDIS_PREFIX: plan.name, SECRETS_KEY };
  const workers = await startWorkers({ ...places, WEBHOOK_ALLOW_PRIVATE: '1' }, releaser, signal);
  const { agentIds, emails } = await seed(databaseUrl, demo.organizationId, demo.dispatcher.email);

  const followed: Followed = { events: 0, ended: 0, deliveries: 0 };
  const callers = {
    apiKey: demo.apiKey,
    dispatcherTokens: emails.map((email) => tokenOf(gateway.baseUrl, { ...demo.dispatcher, email })),
    agentIds,
  };
  const streamUrl = new URL(`/api/v1/realtime/organizations/${demo.organizationId}/events`, gateway.baseUrl);
  await openStreams(streamUrl, demo.apiKey, options.streams, followed, releaser);
  await addWebhook(gateway.baseUrl, demo.apiKey, await openSink(followed, releaser));
  const lives = new TaskLives(gateway.baseUrl, callers);
  releaser.push('lives', () => lives.close());
  const redis = new Redis(stores.redis.url);
  releaser.push('redis', () => redis.disconnect());
  const redisMiB = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))![1]) / MIB;
  return { lives, followed, gatewayPid: gateway.pid, workersPid: workers.pid, weightFile, redisMiB };
}

/** Agents, and dispatchers with the password of `like`, by their addresses. */
async function seed(databaseUrl: string, organizationId: number, like: string) {
  const sql = connectPostgres(databaseUrl, { name: 'seed', connections: 1, statementTimeoutMs: 60_000 });
  try {
    const agentIds = await seedAgents(sql, organizationId, AGENTS);
    const users = await sql<{ email: string }[]>`
      INSERT INTO users (organization_id, id, role, email, first_name, last_name, is_active, email_verified_at, password_hash,
        created_at, updated_at)
      SELECT organization_id, nextval('user_ids'), role, n || email, first_name, last_name, is_active, email_verified_at,
        password_hash, created_at, updated_at
      FROM users, generate_series(1, ${DISPATCHERS}::int) n
      WHERE organization_id = ${organizationId} AND email = ${like} RETURNING email`;
    return { agentIds, emails: users.map(({ email }) => email) };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function tokenOf(baseUrl: string, account: { readonly email: string; readonly password: string }) {
  let token: Promise<string> | undefined;
  let madeAt = 0;
  return () => {
    if (token && performance.now() - madeAt < TOKEN_MS) return token;
    madeAt = performance.now();
    token = post(`${baseUrl}/api/v1/auth/login`, account).then(
      (answer) => (answer as { data: { accessToken: string } }).data.accessToken,
    );
    return token;
  };
}

async function addWebhook(baseUrl: string, apiKey: string, url: string): Promise<void> {
  await post(`${baseUrl}/api/v1/webhooks`, { url, events: ['task.*'] }, { 'x-api-key': apiKey });
}

async function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Lives a second, one after the other in so many lines at once. */
async function findMost(
  lives: TaskLives,
  { atOnce, searchSeconds }: MixedOptions,
  signal: AbortSignal,
): Promise<number> {
  const startedAt = performance.now();
  const end = startedAt + searchSeconds * 1_000;
  const line = async () => {
    while (performance.now() < end) {
      signal.throwIfAborted();
      await lives.live();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, line));
  lives.takeTimes();
  return (lives.ended * 1_000) / (performance.now() - startedAt);
}

const HEADER = ['minute', 'lives/s', 'p50 ms', 'p99 ms', ...KINDS, 'gateway MiB', 'heap', 'workers', 'Redis'];

function cellsOf(number: number, minute: Minute): string[] {
  const { lives, p50Ms, p99Ms, byKind, gatewayMiB, heapMiB, workersMiB, redisMiB } = minute;
  const figures = [p50Ms, p99Ms, ...KINDS.map((kind) => byKind[kind]!)].map((ms) => ms.toFixed(1));
  const sizes = [gatewayMiB, heapMiB, workersMiB, redisMiB].map((size) => size.toFixed(1));
  return [`${number}`, lives.toFixed(0), ...figures, ...sizes];
}

function lineOf(number: number, minute: Minute): string {
  return cellsOf(number, minute)
    .map((cell, index) => `${HEADER[index]} ${cell}`)
    .join('  ');
}

function table(minutes: readonly Minute[]): string {
  return formatTable(
    HEADER,
    minutes.map((minute, index) => cellsOf(index + 1, minute)),
  );
}

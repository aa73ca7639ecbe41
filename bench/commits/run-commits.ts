import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { flag, readOptions, wholeNumber } from '../command-line.ts';
import { textOf } from '../load/http-line.ts';
import { HttpPool } from '../load/http-pool.ts';
import { verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { formatTable } from '../report/table.ts';
import { ordersFor } from '../scenarios/orders.ts';
import { seedAgents } from '../seed/seed-agents.ts';
import { GATEWAY, startServer } from '../stand/server-process.ts';
import { startTemporaryStores } from '../stand/temporary-stores.ts';
import { spreadOf } from '../statistics.ts';
import { type Cost, openCostMeter, sumOfCosts } from './cost-meter.ts';
import { judgeCommits, PHASES, type Phase, STEPS } from './judge-commits.ts';

/**
 * `npm run bench -- commits`: what Postgres does for a new task and for each step of its life. It counts bytes, index
 * entries and statements, which are the same on any machine, and CPU time.
 */

const USAGE = `Usage: npm run bench -- commits [options]

  --tasks 10000      tasks of a round, each taken through its life
  --rounds 3         rounds; the figures are their medians, and fewer than 3 have no verdict
  --connections 256  requests at once
  --waves 1          parts of a round that are taken through their lives one after another, when all of its tasks are made
  --statements       also the statements inside of commit_group; counting them takes time, which the figures then hold:
                     no verdict`;

const AGENTS = 200;
const HOT_TABLES = ['tasks', 'packages'];
/** Statements that are shown of a phase. */
const SHOWN_STATEMENTS = 20;
/** Tasks that one dispatcher accepts in a second, below what a user may ask. */
const ACCEPTED_A_SECOND = 400;

type Ask = (method: string, path: string, body: object | string) => Promise<string>;

export async function runCommits(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const {
    tasks,
    rounds,
    connections,
    waves,
    statements: isInside,
  } = readOptions(args, USAGE, {
    tasks: wholeNumber(10_000, 1_000_000),
    rounds: wholeNumber(3, 100),
    connections: wholeNumber(256, 5_000),
    waves: wholeNumber(1, 1_000),
    statements: flag(),
  }).values;
  const stores = await startTemporaryStores(releaser, signal);
  const plan = { name: 'commits', program: GATEWAY, readyPath: '/readyz' };
  const gateway = await startServer(plan, stores, releaser, signal);
  const databaseUrl = Object.assign(new URL(stores.postgres.url), { pathname: `/${gateway.database}` }).href;
  const agentIds = await seedAgentIds(databaseUrl, stores.demo.organizationId);
  const places = { databaseUrl, postmasterPid: stores.postgres.pid, gatewayPid: gateway.pid, isInside };
  const meter = await openCostMeter(places);
  releaser.push('cost meter', () => meter.stop());
  const pool = new HttpPool(new URL(gateway.baseUrl), connections);
  releaser.push('requests', () => pool.close());
  const byKey = asker(pool, { 'x-api-key': stores.demo.apiKey });

  const costs = new Map<Phase, Cost[]>(PHASES.map((phase) => [phase, []]));
  for (let round = 0; round <= rounds; round++) {
    const token = await signIn(gateway.baseUrl, stores.demo.dispatcher);
    const asDispatcher = asker(pool, { authorization: `Bearer ${token}` });
    const orders = ordersFor({ connection: 0, connections: 1, seed: round }, tasks);
    const ofRound = new Map<Phase, Cost>();
    const measure = async <T>(phase: Phase, work: () => Promise<T>): Promise<T> => {
      signal.throwIfAborted();
      // Pages that the first wave has written are whole in the log until the next round.
      await meter.start(!ofRound.has(phase));
      const result = await work();
      const [cost, before] = [await meter.read(), ofRound.get(phase)];
      ofRound.set(phase, before ? sumOfCosts(before, cost) : cost);
      return result;
    };
    const ids = await measure('create', () =>
      inParallel(tasks, connections, (n) => createTask(byKey, orders[n]!.body)),
    );
    for (const wave of partsOf(ids, waves))
      for (const phase of STEPS) {
        if (phase === 'in_transit') await acceptAll(asDispatcher, wave);
        const take = (n: number) => step(byKey, phase, wave[n]!, agentIds[n % AGENTS]!);
        await measure(phase, () => inParallel(wave.length, connections, take));
      }
    // The first round warms up.
    if (round > 0) for (const [phase, cost] of ofRound) costs.get(phase)!.push(cost);
  }
  say(table(costs, tasks), '', entriesTable(costs, tasks), `load average ${loadavg()[0]!.toFixed(2)} (one minute)`);
  if (isInside) for (const phase of PHASES) say('', statementsTable(phase, costs.get(phase)!.at(-1)!, tasks));
  else say('', ...verdictLines(judgeCommits(costs)));
  return 0;
}

async function seedAgentIds(databaseUrl: string, organizationId: number): Promise<number[]> {
  const sql = connectPostgres(databaseUrl, { name: 'seed', connections: 1, statementTimeoutMs: 60_000 });
  try {
    return await seedAgents(sql, organizationId, AGENTS);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function signIn(baseUrl: string, account: { readonly email: string; readonly password: string }) {
  const { email, password } = account;
  const answer = await fetch(`${baseUrl}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`signing in answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: { accessToken: string } }).data.accessToken;
}

/** Rejects for anything but a success. */
function asker(pool: HttpPool, headers: Readonly<Record<string, string>>): Ask {
  return async (method, path, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await pool.ask({ method, path: `/api/v1${path}`, headers, body: text });
    if (answer.status < 200 || answer.status >= 300)
      throw new Error(`${method} ${path} answered ${answer.status}: ${textOf(answer)}`);
    return textOf(answer);
  };
}

async function createTask(ask: Ask, order: string): Promise<number> {
  return (JSON.parse(await ask('POST', '/tasks', order)) as { data: { id: number } }).data.id;
}

function partsOf<T>(items: readonly T[], count: number): T[][] {
  const size = Math.ceil(items.length / count);
  return Array.from({ length: count }, (_, part) => items.slice(part * size, (part + 1) * size));
}

function step(ask: Ask, phase: Phase, id: number, agentId: number): Promise<string> {
  if (phase === 'assign') return ask('POST', `/tasks/${id}/assign`, { agentId });
  return ask('PUT', `/tasks/${id}/status`, { status: phase });
}

/** Not measured: a key may not accept, and one user may not ask as fast as a key. */
async function acceptAll(ask: Ask, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += ACCEPTED_A_SECOND) {
    const some = ids.slice(from, from + ACCEPTED_A_SECOND);
    const accept = (n: number) => ask('PUT', `/tasks/${some[n]}/status`, { status: 'accepted' });
    await Promise.all([delay(1_000), inParallel(some.length, some.length, accept)]);
  }
}

async function inParallel<T>(count: number, atOnce: number, one: (number: number) => Promise<T>): Promise<T[]> {
  const results = new Array<T>(count);
  let next = 0;
  const line = async () => {
    while (next < count) {
      const number = next++;
      results[number] = await one(number);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, line));
  return results;
}

function table(costs: ReadonlyMap<Phase, readonly Cost[]>, tasks: number): string {
  const times = ['Postgres µs', 'gateway µs', 'in commits µs', 'tasks a commit'];
  const header = [
    'each',
    '',
    ...times,
    'WAL bytes',
    'images',
    'entries',
    ...HOT_TABLES.map((name) => `HOT of ${name}`),
  ];
  const rows = PHASES.map((phase) => {
    const of = (value: (cost: Cost) => number) => spreadOf(costs.get(phase)!.map(value)).median;
    const micros = (value: (cost: Cost) => number) => ((of(value) * 1e6) / tasks).toFixed(1);
    return [
      phase,
      '',
      micros((cost) => cost.postgresSeconds),
      micros((cost) => cost.gatewaySeconds),
      micros((cost) => cost.groupSeconds),
      (tasks / of((cost) => cost.groups)).toFixed(1),
      (of((cost) => cost.walBytes) / tasks).toFixed(0),
      (of((cost) => cost.imageBytes) / tasks).toFixed(0),
      (of((cost) => sumOf([...cost.entries.values()])) / tasks).toFixed(2),
      // A new task changes no row of these: what Postgres counts there came late, of the phase before.
      ...HOT_TABLES.map((name) => (phase === 'create' ? '–' : hotShare(name, costs.get(phase)!))),
    ];
  });
  return formatTable(header, rows);
}

/** The share of a table's changed rows whose change wrote no index. */
function hotShare(name: string, costs: readonly Cost[]): string {
  const counts = costs.flatMap(({ updates }) => updates.get(name) ?? []);
  const all = sumOf(counts.map((count) => count.all));
  return all === 0 ? '–' : `${((100 * sumOf(counts.map(({ hot }) => hot))) / all).toFixed(0)} %`;
}

const sumOf = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0);

/** New entries of each index for a task, by phase. */
function entriesTable(costs: ReadonlyMap<Phase, readonly Cost[]>, tasks: number): string {
  const names = new Set(PHASES.flatMap((phase) => [...costs.get(phase)!.at(-1)!.entries.keys()]));
  const entriesOf = (name: string, phase: Phase) => (costs.get(phase)!.at(-1)!.entries.get(name) ?? 0) / tasks;
  const rows = [...names]
    .map((name) => ({ name, each: PHASES.map((phase) => entriesOf(name, phase)) }))
    .filter(({ each }) => each.some((entries) => entries >= 0.01))
    .map(({ name, each }) => [name, '', ...each.map((entries) => entries.toFixed(2))]);
  return formatTable(['index entries', '', ...PHASES], rows);
}

function statementsTable(phase: Phase, { statements }: Cost, tasks: number): string {
  const rows = statements.slice(0, SHOWN_STATEMENTS).map(({ text, calls, seconds }) => {
    const line = text.replace(/\s+/g, ' ').slice(0, 70);
    return [line, '', `${calls}`, ((seconds * 1e6) / tasks).toFixed(1)];
  });
  return formatTable([`statements, ${phase}`, '', 'calls', 'µs each'], rows);
}

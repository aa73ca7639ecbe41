import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { HttpPool } from '../../../bench/load/http-pool.ts';
import { percentile, spreadOf } from '../../../bench/statistics.ts';
import { type RoundsPlace, startRoundsPlace } from '../../integration/assignment/rounds-place.ts';
import { metricsPortOf, type WorkersProcess } from '../../integration/workers/workers-place.ts';
import { taskInput } from '../../support/api-client.ts';
import { withSql } from '../../support/seed.ts';
import { until } from '../../support/until.ts';

const AGENTS = 500;
const TASKS = 500;
const BLOCKS = 9;
const SECONDS = 4;
const CONNECTIONS = 32;
const WARM_ROUNDS = 10;
/** Of the tasks that are created one in so many is given to an agent: rounds have something to do, and do it. */
const CREATES_PER_SEARCH = 100;
const MOST_RATIO = 1.3;
/** What times of a few milliseconds differ by on a busy machine, whoever the neighbours are. */
const NOISE_MS = 5;

test('at half of the load that it can take, a gateway answers as fast beside rounds as without', async (t) => {
  const place = await startRoundsPlace({
    agents: AGENTS,
    assignment: { batchingWindowMs: 500, autoAccept: true, maxTasksPerAgent: 100 },
  });
  try {
    await place.locate();
    await fillWithSearches(place);
    const workers = await place.startWorkers({ WORKERS_METRICS_PORT: '0' });
    await untilRounds(workers, WARM_ROUNDS);
    pause(workers);
    await load(place);
    const most = await load(place);
    const rate = Math.floor(most.perSecond / 2);
    const p99s: Record<'without' | 'beside', number[]> = { without: [], beside: [] };
    const made = { rounds: 0, offers: 0 };
    for (let block = 0; block <= BLOCKS; block++) {
      await place.locate();
      const without = await load(place, rate);
      resume(workers);
      const before = await untilRounds(workers, (await countsOf(workers)).rounds + 2);
      const beside = await load(place, rate);
      const after = await countsOf(workers);
      pause(workers);
      // The first blocks warm up, and do not count.
      if (block === 0) continue;
      p99s.without.push(without.p99);
      p99s.beside.push(beside.p99);
      made.rounds += after.rounds - before.rounds;
      made.offers += after.offers - before.offers;
    }
    const [without, beside] = [spreadOf(p99s.without), spreadOf(p99s.beside)];
    t.diagnostic(`${rate} requests/s of ${most.perSecond}: p99 without workers ${JSON.stringify(without)} ms`);
    t.diagnostic(`p99 beside rounds of ${TASKS} tasks and ${AGENTS} agents ${JSON.stringify(beside)} ms`);
    t.diagnostic(`${made.rounds} rounds with ${made.offers} offers in ${BLOCKS * SECONDS} s`);
    assert.ok(made.rounds >= BLOCKS * SECONDS && made.offers > 0, 'rounds were made, and found agents');
    assert.ok(beside.median <= without.median * MOST_RATIO + NOISE_MS);
  } finally {
    await place.stop();
  }
});

/** Nothing of them runs, and they stay warm. */
function pause({ pid }: WorkersProcess): void {
  process.kill(pid, 'SIGSTOP');
}

function resume({ pid }: WorkersProcess): void {
  process.kill(pid, 'SIGCONT');
}

/** Tasks that each round plans anew: they are ready in an hour, so that nobody is asked yet. */
async function fillWithSearches({ api, system }: RoundsPlace): Promise<void> {
  const readyAt = new Date(Date.now() + 3_600_000).toISOString();
  const tasks = Array.from({ length: TASKS }, (_, index) =>
    taskInput({
      autoAssign: true,
      readyAt,
      pickupLocation: { address: 'Shop', latitude: 0.002, longitude: (index % AGENTS) / 1_113 },
      location: { address: 'Door', latitude: 0.004, longitude: ((index * 7) % AGENTS) / 1_113 },
    }),
  );
  const { status, text } = await api.post('/tasks/batch', { tasks });
  assert.equal(status, 200, text);
  // As Postgres does by itself within a minute: until then its plans of lists would be all that is measured.
  await withSql(system.place.databaseUrl, (sql) => sql`ANALYZE`);
}

async function countsOf(workers: WorkersProcess): Promise<{ readonly rounds: number; readonly offers: number }> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPortOf(workers)}/metrics`)).text();
  const count = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return { rounds: count('dispatch_rounds_total'), offers: count('dispatch_rounds_offers_total') };
}

async function untilRounds(workers: WorkersProcess, rounds: number) {
  let counts = await countsOf(workers);
  await until(`there have been ${rounds} rounds`, async () => {
    counts = await countsOf(workers);
    return counts.rounds >= rounds;
  });
  return counts;
}

interface Load {
  readonly perSecond: number;
  /** From when a request was due to its answer. */
  readonly p99: number;
}

/** Creates and reads, one to one; as fast as may be without a rate, and evenly with one. */
async function load({ system }: RoundsPlace, rate?: number): Promise<Load> {
  const headers = { 'x-api-key': system.place.key };
  const create = { method: 'POST', path: '/api/v1/tasks', headers, body: JSON.stringify(taskInput()) };
  const location = { address: 'Among them', latitude: 0.001, longitude: AGENTS / 2 / 1_113 };
  const search = { ...create, body: JSON.stringify(taskInput({ autoAssign: true, location })) };
  const read = { method: 'GET', path: '/api/v1/tasks?limit=1', headers };
  const pool = new HttpPool(new URL(system.baseUrl), CONNECTIONS);
  const latencies: number[] = [];
  let asked = 0;
  const ask = async (dueAt: number) => {
    asked += 1;
    const write = asked % (2 * CREATES_PER_SEARCH) === 1 ? search : create;
    const { status, body } = await pool.ask(asked % 2 === 0 ? read : write);
    assert.ok(status < 300, body);
    latencies.push(performance.now() - dueAt);
  };
  const begin = performance.now();
  const end = begin + SECONDS * 1_000;
  const asks: Promise<void>[] = [];
  try {
    if (rate === undefined) {
      const askOn = async () => {
        while (performance.now() < end) await ask(performance.now());
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, askOn));
    } else {
      for (let now = begin; now < end; now = performance.now()) {
        const due = ((now - begin) / 1_000) * rate;
        while (asks.length < due) asks.push(ask(begin + (asks.length * 1_000) / rate));
        await setTimeout(1);
      }
      await Promise.all(asks);
    }
  } finally {
    pool.close();
  }
  const sorted = latencies.sort((one, other) => one - other);
  return { perSecond: latencies.length / SECONDS, p99: percentile(sorted, 0.99) };
}

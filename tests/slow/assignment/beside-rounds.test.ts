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
const ROUNDS = 5;
const SECONDS = 6;
const CONNECTIONS = 32;
const WARM_ROUNDS = 5;
const MOST_RATIO = 1.3;
/** What times of a few milliseconds differ by on a busy machine, whoever the neighbours are. */
const NOISE_MS = 5;

test('at half of the load that it can take, a gateway answers as fast beside rounds as without', async (t) => {
  const place = await startRoundsPlace({ agents: AGENTS, assignment: { batchingWindowMs: 500 } });
  let workers: WorkersProcess | undefined;
  try {
    await place.locate();
    await fillWithSearches(place);
    const most = await load(place);
    const rate = Math.floor(most.perSecond / 2);
    const p99s: Record<'without' | 'beside', number[]> = { without: [], beside: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      for (const how of ['without', 'beside'] as const) {
        await workers?.kill();
        workers = how === 'beside' ? await startRounds(place) : undefined;
        await place.locate();
        const { p99 } = await load(place, rate);
        // The first round warms up, and does not count.
        if (round > 0) p99s[how].push(p99);
      }
    }
    const [without, beside] = [spreadOf(p99s.without), spreadOf(p99s.beside)];
    t.diagnostic(`${rate} requests/s of ${most.perSecond}: p99 without ${JSON.stringify(without)} ms`);
    t.diagnostic(`p99 beside rounds of ${TASKS} tasks and ${AGENTS} agents ${JSON.stringify(beside)} ms`);
    assert.ok(beside.median <= without.median * MOST_RATIO + NOISE_MS);
  } finally {
    await place.stop();
  }
});

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

/** Workers whose rounds have become what they go on to be. */
async function startRounds(place: RoundsPlace): Promise<WorkersProcess> {
  const workers = await place.startWorkers({ WORKERS_METRICS_PORT: '0' });
  const metrics = `http://127.0.0.1:${metricsPortOf(workers)}/metrics`;
  await until('rounds are warm', async () => {
    const rounds = /^dispatch_rounds_total (\d+)$/m.exec(await (await fetch(metrics)).text())?.[1];
    return Number(rounds) >= WARM_ROUNDS;
  });
  return workers;
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
  const read = { method: 'GET', path: '/api/v1/tasks?limit=1', headers };
  const pool = new HttpPool(new URL(system.baseUrl), CONNECTIONS);
  const latencies: number[] = [];
  const ask = async (dueAt: number) => {
    const { status, body } = await pool.ask(latencies.length % 2 === 0 ? create : read);
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

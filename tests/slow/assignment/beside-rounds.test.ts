import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { HttpPool } from '../../../bench/load/http-pool.ts';
import { percentile } from '../../../bench/statistics.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRoundTurnStore } from '../../../engine/store/planning/round-turn-store.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { redisKeys } from '../../../engine/store/redis-keys.ts';
import { type RoundsPlace, startRoundsPlace } from '../../integration/assignment/rounds-place.ts';
import { metricsPortOf, type WorkersProcess } from '../../integration/workers/workers-place.ts';
import { taskInput } from '../../support/api-client.ts';
import { sampleOf } from '../../support/metrics.ts';
import { withSql } from '../../support/seeds/seed.ts';
import type { CrashableSystem } from '../../support/system/crashable-system.ts';
import { until } from '../../support/until.ts';

const AGENTS = 500;
const TASKS = 500;
/** Blocks of each kind, in turn; the first of each warms up. */
const BLOCKS = 31;
const SECONDS = 4;
const CONNECTIONS = 32;
const WARM_ROUNDS = 10;
/** One in so many created tasks is given to an agent: rounds have something to do, and do it. */
const CREATES_PER_SEARCH = 100;
const MOST_RATIO = 1.3;

test('a gateway at half of its greatest load answers as fast beside rounds as without', async (t) => {
  const place = await startRoundsPlace({
    agents: AGENTS,
    assignment: { batchingWindowMs: 500, autoAccept: true, maxTasksPerAgent: 100 },
  });
  const turn = await openTurn(place.system);
  try {
    await place.locate();
    await fillWithSearches(place);
    const workers = await place.startWorkers({ WORKERS_METRICS_PORT: '0' });
    await untilRounds(workers, WARM_ROUNDS);
    await turn.take();
    await load(place);
    const most = await load(place);
    await turn.giveBack();
    const rate = Math.floor(most.perSecond / 2);
    const [without, beside] = [side(), side()];
    for (let block = 0; block < BLOCKS; block++) {
      // Each after the other as often as before it: what grows on the way hits both alike.
      for (const which of block % 2 === 0 ? [without, beside] : [beside, without]) {
        await place.locate();
        if (which === without) await turn.take();
        else await untilRounds(workers, (await countsOf(workers)).rounds + 2);
        const before = await countsOf(workers);
        const { latencies } = await load(place, rate);
        const after = await countsOf(workers);
        if (which === without) await turn.giveBack();
        if (block === 0) continue;
        which.latencies.push(...latencies);
        which.rounds += after.rounds - before.rounds;
        which.offers += after.offers - before.offers;
      }
    }
    t.diagnostic(`${rate} requests/s of ${most.perSecond}, ${(BLOCKS - 1) * SECONDS} s of each kind`);
    t.diagnostic(`without rounds: ${told(without)}`);
    t.diagnostic(`beside rounds of ${TASKS} tasks and ${AGENTS} agents: ${told(beside)}`);
    assert.equal(without.rounds, 0);
    assert.ok(beside.rounds >= BLOCKS * SECONDS && beside.offers > 0, 'rounds were made, and found agents');
    assert.ok(p99Of(beside) <= p99Of(without) * MOST_RATIO);
  } finally {
    await turn.close();
    await place.stop();
  }
});

interface Side {
  readonly latencies: number[];
  rounds: number;
  offers: number;
}

const side = (): Side => ({ latencies: [], rounds: 0, offers: 0 });

const p99Of = ({ latencies }: Side) =>
  percentile(
    latencies.toSorted((one, other) => one - other),
    0.99,
  );

function told({ latencies, rounds, offers }: Side): string {
  const sorted = latencies.toSorted((one, other) => one - other);
  const ms = [0.5, 0.95, 0.99].map((share) => percentile(sorted, share).toFixed(1));
  return `p50 ${ms[0]} ms, p95 ${ms[1]} ms, p99 ${ms[2]} ms; ${rounds} rounds, ${offers} offers`;
}

/** The turn to plan: while another holds it the workers do all that they do, but make no round. */
async function openTurn({ place }: CrashableSystem) {
  const redis = connectRedis(place.redisUrl, createLog('test', 'silent'), 'patient');
  const history = await withSql(place.databaseUrl, async (sql) => {
    const [row] = await sql<{ history: string }[]>`SELECT history FROM log_history`;
    return row!.history;
  });
  const turns = createRoundTurnStore(redis, redisKeys(place.redisPrefix, history), 'nobody who plans');
  return {
    take: () =>
      until(
        "it is nobody else's turn",
        async () => (await turns.take(place.organizationId, 3 * SECONDS * 1_000)) === 0,
      ),
    giveBack: () => turns.giveBack(place.organizationId),
    close: async () => redis.disconnect(),
  };
}

/** Tasks that each round plans again: they are ready in an hour, so that no agent is asked yet. */
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
  return {
    rounds: sampleOf(text, 'dispatch_rounds_total{result="done"}'),
    offers: sampleOf(text, 'dispatch_round_offers_total'),
  };
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
  /** Milliseconds from when each request was due to its answer. */
  readonly latencies: readonly number[];
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
  return { perSecond: latencies.length / SECONDS, latencies };
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import autocannon from 'autocannon';
import { spreadOf } from '../../../bench/statistics.ts';
import { type RoundsPlace, startRoundsPlace } from '../../integration/assignment/rounds-place.ts';
import type { WorkersProcess } from '../../integration/workers/workers-place.ts';
import { taskInput } from '../../support/api-client.ts';
import { until } from '../../support/until.ts';

const AGENTS = 500;
const TASKS = 500;
const ROUNDS = 5;
const SECONDS = 8;
const CONNECTIONS = 32;
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
    const rate = Math.floor(most.requests.average / 2);
    const p99s: Record<'without' | 'beside', number[]> = { without: [], beside: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      for (const how of ['without', 'beside'] as const) {
        await workers?.kill();
        workers = how === 'beside' ? await place.startWorkers() : undefined;
        await place.locate();
        const { latency, errors, non2xx } = await load(place, rate);
        assert.equal(errors + non2xx, 0);
        // The first round warms up, and does not count.
        if (round > 0) p99s[how].push(latency.p99);
      }
    }
    const [without, beside] = [spreadOf(p99s.without), spreadOf(p99s.beside)];
    t.diagnostic(`${rate} requests/s of ${most.requests.average}: p99 without ${JSON.stringify(without)} ms`);
    t.diagnostic(`p99 beside rounds of ${TASKS} tasks and ${AGENTS} agents ${JSON.stringify(beside)} ms`);
    assert.ok(beside.median <= without.median * MOST_RATIO + NOISE_MS);
  } finally {
    await place.stop();
  }
});

/** Tasks that each round plans anew: they are ready in an hour, so that nobody is asked yet. */
async function fillWithSearches({ api }: RoundsPlace): Promise<void> {
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
  const { body } = await api.list('limit=1&status=new');
  await until('all are there', () => body.data.count >= TASKS);
}

/** Creates and reads, one to one; as fast as may be without a rate. */
function load({ system }: RoundsPlace, rate?: number): Promise<autocannon.Result> {
  const headers = { 'x-api-key': system.place.key, 'content-type': 'application/json' };
  return autocannon({
    url: system.baseUrl,
    connections: CONNECTIONS,
    duration: SECONDS,
    ...(rate === undefined ? {} : { overallRate: rate }),
    requests: [
      { method: 'POST', path: '/api/v1/tasks', headers, body: JSON.stringify(taskInput()) },
      { method: 'GET', path: '/api/v1/tasks?limit=1', headers },
    ],
  });
}

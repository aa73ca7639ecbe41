import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../support/until.ts';
import { metricsPortOf } from '../workers/workers-place.ts';
import { startRoundsPlace } from './rounds-place.ts';

test('workers tell what they do as Prometheus text on a port of their own, and nothing else', async () => {
  const place = await startRoundsPlace({ agents: 1 });
  try {
    await place.locate();
    const workers = await place.startWorkers({ WORKERS_METRICS_PORT: '0' });
    const url = `http://127.0.0.1:${metricsPortOf(workers)}`;
    await place.untilOffered((await place.createTask()).id);
    await until('the round is counted', async () => {
      const response = await fetch(`${url}/metrics`);
      assert.match(response.headers.get('content-type')!, /^text\/plain/);
      const text = await response.text();
      assert.match(text, /^process_cpu_seconds_total /m);
      return /^dispatch_rounds_offers_total 1$/m.test(text);
    });
    assert.equal((await fetch(`${url}/commands`)).status, 404);
    assert.equal((await fetch(`${url}/metrics`, { method: 'POST' })).status, 404);
    assert.equal(await workers.stop(), 0);
  } finally {
    await place.stop();
  }
});

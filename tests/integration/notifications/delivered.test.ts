import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleOf } from '../../support/metrics.ts';
import { until } from '../../support/until.ts';
import { metricsPortOf } from '../workers/workers-place.ts';
import { withWorkers } from './services-place.ts';

test('a cancellation en route arrives in the browser and on the phone of the courier, as their services have it', () =>
  withWorkers(async (place) => {
    const workers = await place.startWorkers({ WORKERS_METRICS_PORT: '0' });
    const { body } = await place.courier.get<{ publicKey: string }>('/notifications/web-push-key');
    const browser = place.browsers.subscribe(body.data.publicKey);
    await place.register('browser', browser.token, 'web');
    await place.register('phone', 'phone-token');
    const taskId = await place.taskEnRoute();
    await place.cancel(taskId);
    await until('the browser knows', () => browser.received.some(({ text }) => text.includes('task_cancelled')));
    await place.untilSettled();
    const pushed = browser.received.find(({ text }) => text.includes('task_cancelled'))!;
    const shown = JSON.parse(pushed.text) as { title: string; data: Record<string, string> };
    assert.deepEqual([shown.data['taskId'], pushed.urgency], [String(taskId), 'high']);
    assert.match(shown.title, /cancelled/);
    assert.deepEqual(place.cancellationsOf(taskId), ['phone-token']);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPortOf(workers)}/metrics`)).text();
    assert.ok(sampleOf(metrics, 'dispatch_notices_total{result="sent"}') >= 2);
    assert.deepEqual([...place.browsers.faults, ...place.fcm.faults], []);
  }));

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createApiClient } from '../../support/api-client.ts';
import { readMetrics, sampleOf } from '../../support/metrics.ts';
import { seedChannel } from '../../support/seeds/seed.ts';
import { reservePort } from '../../support/system/reserve-port.ts';
import { until } from '../../support/until.ts';
import { metricsPortOf } from '../workers/workers-place.ts';
import { type RoundsPlace, startRoundsPlace } from './rounds-place.ts';

const TOKEN = 'a-token-for-prometheus';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
const PRIVATE = { WEBHOOK_ALLOW_PRIVATE: '1' };

/** Resolves when every sample is as large as this, or larger. */
async function untilReached(url: string, samples: Readonly<Record<string, number>>): Promise<void> {
  for (const [sample, least] of Object.entries(samples))
    await until(`${sample} is ${least}`, async () => sampleOf(await readMetrics(url, AUTHORIZED), sample) >= least);
}

/** One webhook whose endpoint is not there, and one whose endpoint is gone for good. */
async function createWebhooks({ system }: RoundsPlace, goneUrl: string): Promise<void> {
  const { databaseUrl, organizationId } = system.place;
  const { key } = await seedChannel(databaseUrl, organizationId, { role: 'org_admin' });
  const admin = createApiClient({ baseUrl: system.baseUrl, key });
  for (const url of [`http://127.0.0.1:${await reservePort()}/away`, goneUrl]) {
    const { status, text } = await admin.post('/webhooks', { url, events: ['task.created'] });
    assert.equal(status, 201, text);
  }
  const user = { email: 'new@test.example', name: 'Amina Diallo', role: 'dispatcher' };
  const { status, text } = await admin.post('/users', user);
  assert.equal(status, 201, text);
  admin.close();
}

test('workers count rounds, mails, payments and attempts, and gateways offers and positions, for the bearer of the token', async () => {
  const gone = createServer((_request, response) => response.writeHead(410).end()).listen(0, '127.0.0.1');
  const place = await startRoundsPlace({ agents: 1, environment: { ...PRIVATE, METRICS_TOKEN: TOKEN } });
  try {
    const gatewayUrl = `${place.system.baseUrl}/metrics`;
    await place.locate();
    const workers = await place.startWorkers({ ...PRIVATE, METRICS_TOKEN: TOKEN });
    const url = `http://127.0.0.1:${metricsPortOf(workers)}/metrics`;
    await createWebhooks(place, `http://127.0.0.1:${(gone.address() as AddressInfo).port}/gone`);
    const offer = await place.untilOffered((await place.createTask()).id);
    assert.equal((await place.api.post(`/assignment-requests/${offer.id}/accept`, {})).status, 200);
    const payment = { taskId: (await place.api.createTask()).id, amount: '12.50', currency: 'EUR' };
    assert.equal((await place.api.post('/payments/initialize', payment)).status, 201);
    await untilReached(url, {
      'dispatch_rounds_total{result="done"}': 1,
      dispatch_round_duration_seconds_count: 1,
      dispatch_round_offers_total: 1,
      'dispatch_mails_total{result="sent"}': 1,
      'dispatch_payment_steps_total{result="done"}': 1,
      'dispatch_webhook_attempts_total{result="unreachable"}': 1,
      'dispatch_webhook_attempts_total{result="gone"}': 1,
      dispatch_webhook_attempt_duration_seconds_count: 2,
      'dispatch_webhooks{state="active"}': 1,
      'dispatch_webhooks{state="disabled"}': 1,
      dispatch_webhook_pending_deliveries: 1,
      dispatch_webhook_oldest_seconds: 0.001,
      'dispatch_relay_lag_events{consumer="activity"}': 0,
    });
    await untilReached(gatewayUrl, {
      'dispatch_points_total{result="accepted"}': 1,
      'dispatch_offers_total{status="made"}': 1,
      'dispatch_offers_total{status="accepted"}': 1,
      'dispatch_searches_total{outcome="assigned"}': 1,
      dispatch_assignment_duration_seconds_count: 1,
    });
    const statuses = [
      fetch(url),
      fetch(url, { headers: { authorization: 'Bearer guessed' } }),
      fetch(url, { method: 'POST', headers: AUTHORIZED }),
      fetch(url.replace('/metrics', '/commands'), { headers: AUTHORIZED }),
    ].map(async (asked) => (await asked).status);
    assert.deepEqual(await Promise.all(statuses), [404, 404, 404, 404]);
    assert.equal(await workers.stop(), 0);
  } finally {
    gone.close();
    await place.stop();
  }
});

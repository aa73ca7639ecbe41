import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile, spreadOf } from '../../../bench/statistics.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type RegisteredWebhook, startWebhookSystem, type WebhookSystem } from '../../faults/support/webhook-system.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';

const ROUNDS = 7;
const TASKS = 150;
const TASK_EVERY_MS = 20;
const MOST_RATIO = 1.5;
/** The spread of times of a few milliseconds on a busy machine, with any neighbours. */
const NOISE_MS = 10;

test('an endpoint that hangs, and one that answers 500, do not delay the third', async (t) => {
  const webhooks = await startWebhookSystem();
  const { system } = webhooks;
  const { place } = system;
  const client = createApiClient({ baseUrl: system.baseUrl, key: place.key });
  try {
    await Promise.all([system.startGateway(), webhooks.startWorkers()]);
    const third = await webhooks.register('third', place);
    // As much of the process as an endpoint can have.
    const most = LIMITS.webhookConcurrency;
    const neighbours = [
      await webhooks.register('hangs', place, most),
      await webhooks.register('answers-500', place, most),
    ];
    neighbours[0]!.behave('hang');
    neighbours[1]!.behave(500);
    const times: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
    // The first round warms up, and does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const how of ['alone', 'beside'] as const) {
        for (const neighbour of neighbours) await neighbour.setActive(how === 'beside');
        const p99Ms = await measure(webhooks, third, client);
        if (round > 0) times[how].push(p99Ms);
      }
    }
    const [alone, beside] = [spreadOf(times.alone), spreadOf(times.beside)];
    t.diagnostic(`p99 alone ${JSON.stringify(alone)} ms, beside ${JSON.stringify(beside)} ms`);
    for (const { name, arrivals } of neighbours) assert.ok(arrivals.length >= most, `${name} was hardly ever tried`);
    assert.ok(
      beside.median <= alone.median * MOST_RATIO + NOISE_MS,
      `p99 ${beside.median} ms beside such neighbours, ${alone.median} ms without`,
    );
  } finally {
    client.close();
    await webhooks.stop();
  }
});

/** Makes tasks at a steady rate. Resolves to the p99 of the time from commit to arrival, in milliseconds. */
async function measure(webhooks: WebhookSystem, webhook: RegisteredWebhook, client: ApiClient): Promise<number> {
  const before = webhook.arrivals.length;
  const made: Promise<unknown>[] = [];
  for (let number = 0; number < TASKS; number++) {
    made.push(client.createTask());
    await delay(TASK_EVERY_MS);
  }
  await Promise.all(made);
  await webhooks.untilDelivered([webhook]);
  const delays = webhook.arrivals.slice(before).map(({ at, body }) => at - Date.parse(JSON.parse(body).timestamp));
  return percentile(
    delays.toSorted((a, b) => a - b),
    0.99,
  );
}

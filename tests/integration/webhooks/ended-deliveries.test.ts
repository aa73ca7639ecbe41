import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createDeliveryStore } from '../../../engine/store/webhooks/delivery-store.ts';
import { createFollowerStore, type EndpointKey } from '../../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { secretBox } from '../../support/secrets.ts';
import { until } from '../../support/until.ts';
import { accepts, createRunnerPlace, fails, type RunnerPlace, type Sent } from './endpoint-runner-place.ts';

/** Deliveries that wait, or are under way, when their webhook gets nothing more. */

let place: RunnerPlace;
before(async () => {
  place = await createRunnerPlace();
});
after(() => place.drop());

const gone = () => ({ isSuccess: false, isGone: true, status: 410 });
const typesOf = (sent: readonly Sent[]) => sent.map(({ body }) => JSON.parse(body).type as string);

test('the statement that disables a webhook ends what waits, and one that is on again sends what is new alone', async () => {
  const key = await place.addWebhook();
  const other = await place.addWebhook({ events: ['task.created'] });
  const answers = [fails, fails, accepts, gone];
  const { runner } = place.openEndpointRunner((request) => answers.shift()!(request), {
    wrap: (store) => ({
      ...store,
      async record(outcomes, lease) {
        const held = await store.record(outcomes, lease);
        // As when the process is killed after that.
        if (outcomes.some(({ disabled }) => disabled)) throw new Error('killed');
        return held;
      },
    }),
  });
  await place.commit('task.created', 'task.created', 'task.updated', 'task.updated');
  const { runner: failing } = place.openEndpointRunner(fails);
  await place.serve(failing, other);
  await assert.rejects(place.serve(runner, key), /killed/);
  const rows = await place.deliveries(key);
  assert.deepEqual(
    rows.map(({ state, attempt, attempts, nextAttemptAt }) => [
      ...[state, attempt, nextAttemptAt],
      ...attempts.map(({ status, error }) => error ?? status),
    ]),
    [
      ['failed', 2, null, 500, 'the webhook was disabled'],
      ['failed', 2, null, 500, 'the webhook was disabled'],
      ['succeeded', 1, null, 204],
      ['failed', 2, null, 410, 'the webhook was disabled'],
    ],
  );
  assert.deepEqual(
    (await place.deliveries(other)).map(({ state }) => state),
    ['pending', 'pending'],
    'another webhook goes on',
  );

  await place.commit('task.updated');
  await place.sql`
    UPDATE webhooks w SET active_since = now(), start_sequence = h.last_sequence FROM organization_heads h
    WHERE w.id = ${key.webhookId} AND h.organization_id = w.organization_id`;
  await place.letPausesPass(key);
  await place.commit('task.arrived');
  const back = place.openEndpointRunner(accepts);
  await place.serve(back.runner, key);
  assert.deepEqual(typesOf(back.sent), ['task.arrived']);
});

test('a delivery has so many attempts as are kept, also when one more says that it ended', async () => {
  const key = await place.addWebhook();
  const answers = [fails, gone];
  const { runner } = place.openEndpointRunner((request) => answers.shift()!(request));
  await place.commit('task.created');
  await place.serve(runner, key);
  await place.sql`
    UPDATE webhook_deliveries SET attempt = ${LIMITS.deliveryAttemptsKept},
      attempts = array_to_json(array_fill(attempts -> 0, ARRAY[${LIMITS.deliveryAttemptsKept}::int]))
    WHERE webhook_id = ${key.webhookId}`;
  await place.commit('task.created');
  await place.serve(runner, key);
  const [ended] = await place.deliveries(key);
  assert.deepEqual([ended!.state, ended!.attempts.length], ['failed', LIMITS.deliveryAttemptsKept]);
  assert.equal(ended!.attempts.at(-1)!.error, 'the webhook was disabled');
});

test('pending deliveries end with the write that disables its webhook, not with others of the write, nor with a later one', async () => {
  const [disabled, other] = [await place.addWebhook(), await place.addWebhook()];
  const lease = randomUUID();
  const followers = createFollowerStore(place.sql, secretBox);
  const store = createDeliveryStore(place.sql);
  const attempt = { at: new Date().toISOString(), status: 500, error: null, excerpt: '', durationMs: 1 };
  const pending = { state: 'pending', attempt, nextAttemptAt: new Date().toISOString() } as const;
  const outcomesOf = (key: EndpointKey, reason: 'gone' | undefined, eventIds: readonly string[]) => ({
    ...{ ...key, lastSequence: 1, further: [], disabled: reason },
    health: { failures: 1, failingSince: attempt.at, pausedUntil: null },
    first: eventIds.map((eventId) => ({ ...pending, eventId, type: 'task.created', sequence: 1 })),
  });
  for (const key of [disabled, other]) await followers.lease(key, lease);
  await store.record([outcomesOf(disabled, undefined, ['a']), outcomesOf(other, undefined, ['a'])], lease);
  await store.record([outcomesOf(disabled, 'gone', ['b']), outcomesOf(other, undefined, ['b'])], lease);
  const statesOf = async (key: EndpointKey) => (await place.deliveries(key)).map(({ state }) => state);
  assert.deepEqual(await statesOf(disabled), ['failed', 'failed']);
  assert.deepEqual(await statesOf(other), ['pending', 'pending']);
  // A redelivery that was ordered meanwhile.
  await place.sql`
    UPDATE webhook_deliveries SET state = 'pending', next_attempt_at = now()
    WHERE webhook_id = ${disabled.webhookId} AND event_id = 'a'`;
  await store.record([outcomesOf(disabled, 'gone', [])], lease);
  assert.deepEqual(await statesOf(disabled), ['pending', 'failed']);
});

for (const [how, changeOf] of [
  ['disabled', () => Promise.resolve()],
  [
    'switched off',
    async (webhookId: number) => {
      await place.sql`UPDATE webhooks SET is_active = false WHERE id = ${webhookId}`;
    },
  ],
] as const)
  test(`an attempt that fails after its webhook was ${how} is the last one of its delivery`, async () => {
    const key = await place.addWebhook({ concurrency: 2 });
    const answers: (() => void)[] = [];
    const { runner, sent } = place.openEndpointRunner((request) => {
      if (sent.length === 1 && how === 'disabled') return gone();
      return new Promise((resolve) => answers.push(() => resolve(fails(request))));
    });
    await place.commit('task.created', 'task.created');
    const serving = place.serve(runner, key);
    await until('the second is under way', () => sent.length === 2);
    await changeOf(key.webhookId);
    if (how === 'disabled')
      await until('it is disabled', async () => (await place.follower(key)).disabledReason === 'gone');
    for (const answer of answers) answer();
    await serving;
    const last = (await place.deliveries(key)).at(-1)!;
    assert.deepEqual([last.state, last.attempt, last.nextAttemptAt], ['failed', 2, null]);
    assert.deepEqual([last.attempts[0]!.status, last.attempts[1]!.error], [500, `the webhook was ${how}`]);
  });

test('a replay makes nothing more for a webhook that is switched off just then, and waits', async () => {
  const key = await place.addWebhook();
  await place.commit('task.created', 'task.created');
  const { runner, sent } = place.openEndpointRunner(accepts, {
    wrap: (store) => ({
      ...store,
      async queueReplay(...replay) {
        let queued: Promise<boolean> | undefined;
        let isDone = false;
        await place.sql.begin(async (sql) => {
          await sql`UPDATE webhooks SET is_active = false WHERE id = ${key.webhookId}`;
          queued = store.queueReplay(...replay).finally(() => {
            isDone = true;
          });
          const waiting = () => place.sql`
            SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          await until('it waits', async () => isDone || (await waiting()).length > 0);
        });
        return queued!;
      },
    }),
  });
  await place.serve(runner, key);
  await place.sql`
    INSERT INTO webhook_orders (organization_id, webhook_id, id, kind, after_sequence, last_sequence, created_at)
      SELECT organization_id, ${key.webhookId}, nextval('webhook_order_ids'), 'replay', last_sequence - 2, last_sequence,
        now() FROM organization_heads WHERE organization_id = ${key.organizationId}`;
  await place.serve(runner, key);
  assert.equal(sent.length, 2);
  assert.equal((await place.deliveries(key)).length, 2);
  const orders = await place.sql`SELECT FROM webhook_orders WHERE webhook_id = ${key.webhookId}`;
  assert.equal(orders.length, 1);
});

for (const [how, change, isEnd] of [
  ['the webhook was switched off', 'UPDATE webhooks SET is_active = false WHERE id = $1', true],
  [
    'the webhook was disabled',
    `UPDATE webhook_followers SET disabled_at = now(), disabled_reason = 'gone' WHERE webhook_id = $1`,
    true,
  ],
  [
    'the organization is not active',
    `UPDATE organizations SET status = 'inactive'
     WHERE organization_id = (SELECT organization_id FROM webhooks WHERE id = $1)`,
    false,
  ],
] as const)
  test(`a delivery that is pending although ${how} ${isEnd ? 'ends within a sweep' : 'waits'}`, async () => {
    const key = await place.addWebhook();
    const { runner, sent } = place.openEndpointRunner(fails);
    await place.commit('task.created');
    await place.serve(runner, key);
    // As when it is written beside the change.
    await place.sql.unsafe(change, [key.webhookId]);
    const followers = createFollowerStore(place.sql, secretBox);
    const isWaiting = async () =>
      (await followers.findFollowed([key.organizationId])).some(({ waiting }) => waiting.includes(key.webhookId));
    assert.equal(await isWaiting(), isEnd);
    if (isEnd) assert.deepEqual((await followers.findWaiting(0, 1_000)).lagging, [key.organizationId]);
    await place.serve(runner, key);
    const [row] = await place.deliveries(key);
    assert.deepEqual([row!.state, row!.attempts.at(-1)!.error], isEnd ? ['failed', how] : ['pending', null]);
    assert.equal((await place.follower(key)).nextDueAt, row!.nextAttemptAt);
    assert.equal(await isWaiting(), false);
    assert.equal(sent.length, 1);
    await place.sql`UPDATE organizations SET status = 'active'`;
  });

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createDeliveryStore } from '../../../engine/store/webhooks/delivery-store.ts';
import { createFollowerStore, type EndpointKey } from '../../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { secretBox } from '../../support/secrets.ts';
import { until } from '../../support/until.ts';
import { accepts, createRunnerPlace, fails, type RunnerPlace, type Sent } from './endpoint-runner-place.ts';

let place: RunnerPlace;
before(async () => {
  place = await createRunnerPlace();
});
after(() => place.drop());

/** Ids end with the sequence. */
const sequencesOf = (sent: readonly Sent[]) => sent.map(({ id }) => Number(id.split('_')[3]));
const typesOf = (sent: readonly Sent[]) => sent.map(({ body }) => JSON.parse(body).type as string);
const many = (count: number) => Array.from({ length: count }, () => 'task.created');

test('an endpoint gets every event it wants, in order and once, and each is noted with its outcome', async () => {
  const key = await place.addWebhook({ events: ['task.created', 'agent.*'] });
  const { runner, sent } = place.openEndpointRunner(accepts);
  await place.commit('task.created', 'task.updated', 'agent.duty_changed', 'package.status_changed');
  await place.serve(runner, key);
  assert.deepEqual(typesOf(sent), ['task.created', 'agent.duty_changed']);
  const rows = await place.deliveries(key);
  assert.deepEqual(
    rows.map(({ type, sequence, state, attempt }) => [type, sequence, state, attempt]),
    sent.map((one, i) => [typesOf(sent)[i], sequencesOf([one])[0], 'succeeded', 1]),
  );
  const { lastSequence, lease } = await place.follower(key);
  assert.equal(lastSequence, rows[1]!.sequence! + 1, 'past what it does not want, too');
  assert.equal(lease, null);
  await place.serve(runner, key);
  assert.equal(sent.length, 2);
});

test('it begins with what follows its registration, goes on beyond a page, and a fresh process sends nothing again', async () => {
  await place.commit('task.created');
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(accepts);
  const count = LIMITS.webhookPageEvents + 50;
  await place.commit(...many(count));
  await place.serve(runner, key);
  const sequences = sequencesOf(sent);
  assert.deepEqual(
    sequences,
    Array.from({ length: count }, (_, i) => sequences[0]! + i),
  );
  const heir = place.openEndpointRunner(accepts);
  await place.serve(heir.runner, key);
  assert.equal(heir.sent.length, 0);
});

test('a failure waits for its next attempt while later events go on, and is attempted again under the same id', async () => {
  const key = await place.addWebhook();
  const answers = [fails];
  const { runner, sent } = place.openEndpointRunner((request) => (answers.shift() ?? accepts)(request));
  const begunAt = Date.now();
  await place.commit('task.created', 'task.updated');
  await place.serve(runner, key);
  const [failed, next] = await place.deliveries(key);
  assert.deepEqual([failed!.state, failed!.attempts[0]!.status, next!.state], ['pending', 500, 'succeeded']);
  const pauseMs = Date.parse(failed!.nextAttemptAt!) - begunAt;
  assert.ok(pauseMs >= 5_000, `${pauseMs} ms`);
  assert.equal((await place.follower(key)).nextDueAt, failed!.nextAttemptAt);

  await place.letPausesPass(key);
  await place.serve(runner, key);
  const [again] = await place.deliveries(key);
  assert.deepEqual([again!.state, again!.attempt, again!.attempts.length], ['succeeded', 2, 2]);
  assert.equal(sent[2]!.id, sent[0]!.id);
  assert.equal((await place.follower(key)).nextDueAt, null);
});

test('one that fails on and on is left alone, tried once after each pause, and gets everything when it is back', async () => {
  const key = await place.addWebhook();
  let isDown = true;
  const { runner, sent } = place.openEndpointRunner((request) => (isDown ? fails(request) : {}));
  await place.commit(...many(20));
  await place.serve(runner, key);
  assert.equal(sent.length, LIMITS.webhookCircuitFailures);
  const { failures, pausedUntil } = await place.follower(key);
  assert.equal(failures, LIMITS.webhookCircuitFailures);
  assert.notEqual(pausedUntil, null);
  // It is not to end while a slow machine comes to look.
  await place.sql`
    UPDATE webhook_followers SET paused_until = paused_until + interval '1 hour' WHERE webhook_id = ${key.webhookId}`;
  await place.serve(runner, key);
  assert.equal(sent.length, LIMITS.webhookCircuitFailures, 'nothing is sent during a pause');

  await place.letPausesPass(key);
  await place.serve(runner, key);
  assert.equal(sent.length, LIMITS.webhookCircuitFailures + 1);
  isDown = false;
  await place.letPausesPass(key);
  await place.serve(runner, key);
  const rows = await place.deliveries(key);
  assert.deepEqual(
    rows.map(({ state }) => state),
    many(20).map(() => 'succeeded'),
  );
  assert.equal((await place.follower(key)).failures, 0);
});

/** As PATCH {"isActive": true} does. */
async function switchOn({ organizationId, webhookId }: EndpointKey): Promise<void> {
  await place.sql`
    UPDATE webhooks w SET active_since = now(), start_sequence = h.last_sequence FROM organization_heads h
    WHERE w.organization_id = ${organizationId} AND w.id = ${webhookId} AND h.organization_id = w.organization_id`;
}

test('410 disables: nothing more is sent until it is switched on again, and then what is new', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(() => ({ isSuccess: false, isGone: true, status: 410 }));
  await place.commit('task.created', 'task.created');
  await place.serve(runner, key);
  assert.equal((await place.follower(key)).disabledReason, 'gone');
  await place.letPausesPass(key);
  await place.serve(runner, key);
  assert.equal(sent.length, 1);

  await place.sql`DELETE FROM webhook_deliveries WHERE webhook_id = ${key.webhookId}`;
  await place.commit('task.updated');
  await switchOn(key);
  const back = place.openEndpointRunner(accepts);
  await place.commit('task.arrived');
  await place.serve(back.runner, key);
  assert.deepEqual(typesOf(back.sent), ['task.arrived']);
  assert.equal((await place.follower(key)).disabledReason, null);
});

test('nothing but failures for five days disables', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(fails);
  await place.sql`UPDATE webhooks SET active_since = now() - interval '9 days' WHERE id = ${key.webhookId}`;
  await place.commit('task.created');
  await place.serve(runner, key);
  assert.equal((await place.follower(key)).disabledReason, null);
  await place.sql`
    UPDATE webhook_followers SET failing_since = now() - interval '5 days' WHERE webhook_id = ${key.webhookId}`;
  await place.commit('task.created', 'task.created');
  await place.serve(runner, key);
  assert.equal((await place.follower(key)).disabledReason, 'failing');
  assert.equal(sent.length, 2);
});

test('with room for four, attempts begin in order, four at a time, and the place in the log passes none of them', async () => {
  const key = await place.addWebhook({ concurrency: 4 });
  const { lastSequence: start } = (
    await place.sql`
    SELECT start_sequence AS last_sequence FROM webhooks WHERE id = ${key.webhookId}`
  )[0] as { lastSequence: number };
  const answers: (() => void)[] = [];
  const { runner, sent } = place.openEndpointRunner(() => new Promise((resolve) => answers.push(() => resolve({}))));
  await place.commit(...many(8));
  const serving = place.serve(runner, key);
  await until('four are under way', () => answers.length === 4);
  for (const answer of answers.splice(1)) answer();
  await until('three more are under way', () => sent.length === 7);
  assert.equal((await place.follower(key)).lastSequence, start, 'the first has no outcome yet');
  for (const answer of answers.splice(0)) answer();
  await until('the last is under way', () => sent.length === 8);
  for (const answer of answers) answer();
  await serving;
  assert.deepEqual(
    sequencesOf(sent),
    many(8).map((_, i) => start + 1 + i),
  );
  assert.equal((await place.deliveries(key)).length, 8);
});

/** Ends the lease of the endpoint's holder, which may renew it at any moment, until the heir has it. */
function takeOver({ runner, sent }: ReturnType<RunnerPlace['openEndpointRunner']>, key: EndpointKey): Promise<void> {
  return until('the heir has it', async () => {
    await place.sql`
      UPDATE webhook_followers SET leased_until = now() - interval '1 s' WHERE webhook_id = ${key.webhookId}`;
    await place.serve(runner, key);
    return sent.length > 0;
  });
}

test('one process serves an endpoint at a time, and what the one that lost it learns is not written', async () => {
  const key = await place.addWebhook();
  const answers: (() => void)[] = [];
  const stuck = place.openEndpointRunner(() => new Promise((resolve) => answers.push(() => resolve({}))));
  const heir = place.openEndpointRunner(accepts);
  await place.commit(...many(3));
  const serving = place.serve(stuck.runner, key);
  await until('the first is under way', () => answers.length === 1);
  await place.serve(heir.runner, key);
  assert.equal(heir.sent.length, 0, 'the lease runs');
  await takeOver(heir, key);
  answers[0]!();
  await serving;
  assert.deepEqual(
    (await place.deliveries(key)).map(({ sequence }) => sequence),
    sequencesOf(heir.sent),
  );
});

test('attempts that a process sent and did not note before it died are sent again, within a bound', async () => {
  const key = await place.addWebhook({ concurrency: LIMITS.webhookConcurrency });
  const doomed = place.openEndpointRunner(() => new Promise(() => {}));
  await place.commit(...many(40));
  void place.serve(doomed.runner, key);
  await until('it is stuck', () => doomed.sent.length === LIMITS.webhookConcurrency);
  const heir = place.openEndpointRunner(accepts);
  await takeOver(heir, key);
  assert.equal(new Set(sequencesOf(heir.sent)).size, 40);
  assert.ok(doomed.sent.length <= LIMITS.webhookUnrecorded);
});

function order(key: EndpointKey, kind: string, rest: Readonly<Record<string, string | number | null>>) {
  const columns = { organization_id: key.organizationId, webhook_id: key.webhookId, kind, ...rest };
  return place.sql`
    INSERT INTO webhook_orders SELECT * FROM jsonb_populate_record(NULL::webhook_orders,
      ${JSON.stringify(columns)}::text::jsonb || jsonb_build_object('id', nextval('webhook_order_ids'), 'created_at', now()))`;
}

test('orders are carried out: a redelivery, a replay of what it wants, a test even of one that is switched off', async () => {
  const key = await place.addWebhook({ events: ['task.created'] });
  const { runner, sent } = place.openEndpointRunner(accepts);
  await place.commit('task.created', 'task.updated', 'task.created');
  await place.serve(runner, key);
  const [first, last] = await place.deliveries(key);
  await order(key, 'redelivery', { delivery_id: first!.id });
  await place.serve(runner, key);
  assert.equal(sent[2]!.id, first!.eventId);
  assert.deepEqual((await place.deliveries(key))[0]!.attempts.length, 2);

  await order(key, 'replay', { after_sequence: first!.sequence! - 1, last_sequence: last!.sequence });
  await place.serve(runner, key);
  assert.deepEqual(
    sent.slice(3).map(({ id }) => id),
    [first!.eventId, last!.eventId],
  );
  assert.equal((await place.deliveries(key)).length, 4, 'each with a delivery of its own');

  await place.sql`UPDATE webhooks SET is_active = false WHERE id = ${key.webhookId}`;
  await order(key, 'test', { delivery_id: 900_001, event_id: 'evt_test_1', body: '{"type":"webhook.test"}' });
  await place.commit('task.created');
  await place.serve(runner, key);
  assert.deepEqual(typesOf(sent.slice(5)), ['webhook.test']);
  assert.equal((await place.sql`SELECT FROM webhook_orders`).length, 0);
});

for (const [how, change] of [
  ['switched off', 'UPDATE webhooks SET is_active = false WHERE id = $1'],
  ['disabled', `UPDATE webhook_followers SET disabled_at = now(), disabled_reason = 'gone' WHERE webhook_id = $1`],
] as const)
  test(`orders of a webhook that is ${how} outlive the processes that took them, and are carried out once`, async () => {
    const key = await place.addWebhook();
    const followers = createFollowerStore(place.sql, secretBox);
    const isWaiting = async () =>
      (await followers.findFollowed([key.organizationId])).some(({ waiting }) => waiting.includes(key.webhookId));
    await place.commit('task.created');
    await place.serve(place.openEndpointRunner(accepts).runner, key);
    await place.sql.unsafe(change, [key.webhookId]);
    const testId = 910_000 + key.webhookId;
    await order(key, 'redelivery', { delivery_id: (await place.deliveries(key))[0]!.id });
    await order(key, 'test', { delivery_id: testId, event_id: `evt_test_${testId}`, body: '{"type":"webhook.test"}' });
    const lease = randomUUID();
    await followers.lease(key, lease);
    assert.equal((await createDeliveryStore(place.sql).takeOrders(key, lease)).length, 2);
    // It dies.
    await place.sql`
      UPDATE webhook_followers SET leased_until = now() - interval '1 s' WHERE webhook_id = ${key.webhookId}`;
    assert.ok(await isWaiting());

    let answer = () => {};
    const stopped = place.openEndpointRunner(
      () =>
        new Promise((resolve) => {
          answer = () => resolve({});
        }),
    );
    const stopping = new AbortController();
    const serving = stopped.runner.serve(key, stopping.signal);
    await until('one is under way', () => stopped.sent.length === 1);
    stopping.abort();
    answer();
    await serving;
    assert.ok(await isWaiting());

    const heir = place.openEndpointRunner(accepts);
    await place.serve(heir.runner, key);
    assert.deepEqual(typesOf([...stopped.sent, ...heir.sent]), ['task.created', 'webhook.test']);
    const rows = await place.deliveries(key);
    assert.deepEqual(
      rows.map(({ state, attempts }) => [state, attempts.length]),
      [
        ['succeeded', 2],
        ['succeeded', 1],
      ],
    );
    assert.equal(await isWaiting(), false);
  });

test('first attempts and replays have the id of the body, also where the log has got another history since', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(accepts);
  await place.commit('task.created', 'task.updated');
  await place.serve(runner, key);
  const [first, last] = await place.deliveries(key);
  await order(key, 'replay', { after_sequence: first!.sequence! - 1, last_sequence: last!.sequence });
  await place.serve(runner, key);
  const bodyIds = sent.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  assert.equal(new Set(bodyIds).size, 2);
  assert.deepEqual(
    [sent.map(({ id }) => id), (await place.deliveries(key)).map(({ eventId }) => eventId)],
    [bodyIds, bodyIds],
  );
});

test('the order of a delivery that is no longer kept goes', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(accepts);
  await order(key, 'redelivery', { delivery_id: 920_001 });
  await place.serve(runner, key);
  assert.equal(sent.length, 0);
  assert.equal((await place.sql`SELECT FROM webhook_orders`).length, 0);
});

test('events that retention has dropped are not sent again, and their delivery says so', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(fails);
  await place.commit('task.created');
  await place.serve(runner, key);
  const [row] = await place.deliveries(key);
  await place.sql`DELETE FROM events WHERE sequence = ${row!.sequence}`;
  await place.letPausesPass(key);
  await place.serve(runner, key);
  assert.equal(sent.length, 1);
  const [failed] = await place.deliveries(key);
  assert.deepEqual([failed!.state, failed!.attempts.at(-1)!.error], ['failed', 'the event is no longer kept']);
});

test('a webhook that is deleted while it is in use gets nothing more', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(async () => {
    await place.sql`DELETE FROM webhooks WHERE id = ${key.webhookId}`;
    return {};
  });
  await place.commit('task.created');
  await place.serve(runner, key);
  await place.commit('task.created');
  await place.serve(runner, key);
  assert.equal(sent.length, 1);
});

test('a process that stops lets what is under way come to its end, notes it, and begins nothing more', async () => {
  const key = await place.addWebhook();
  const answers: (() => void)[] = [];
  const { runner, sent } = place.openEndpointRunner(() => new Promise((resolve) => answers.push(() => resolve({}))));
  await place.commit(...many(3));
  const stopping = new AbortController();
  const serving = runner.serve(key, stopping.signal);
  await until('one is under way', () => answers.length === 1);
  stopping.abort();
  answers[0]!();
  await serving;
  assert.equal(sent.length, 1);
  assert.equal((await place.deliveries(key)).length, 1);
  assert.equal((await place.follower(key)).lease, null);
});

test('an endpoint gets every large event, also where a page of the log ends early', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(accepts);
  await place.commit(...many(5));
  await place.sql`
    UPDATE events SET body = left(body, -1) || ',"padding":"' || repeat('x', ${LIMITS.logReadBytes / 2 + 1}::int) || '"}'
    WHERE sequence > (SELECT max(sequence) - 5 FROM events)`;
  await place.serve(runner, key);
  const [first] = sequencesOf(sent);
  assert.deepEqual(
    sequencesOf(sent),
    [0, 1, 2, 3, 4].map((nth) => first! + nth),
  );
});

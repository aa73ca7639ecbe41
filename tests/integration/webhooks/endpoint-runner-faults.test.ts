import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../engine/runtime/clock.ts';
import type { DeliveryStore } from '../../../engine/store/webhooks/delivery-store.ts';
import { createFollowerStore, type EndpointKey } from '../../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { secretBox } from '../../support/secrets.ts';
import { until } from '../../support/until.ts';
import { accepts, createRunnerPlace, type RunnerPlace, type Sent } from './endpoint-runner-place.ts';

let place: RunnerPlace;
before(async () => {
  place = await createRunnerPlace();
});
after(() => place.drop());

/** Ids end with the sequence. */
const sequencesOf = (sent: readonly Sent[]) => sent.map(({ id }) => Number(id.split('_')[3]));
const many = (count: number) => Array.from({ length: count }, () => 'task.created');

/** A store whose first write of outcomes takes its time and then does what `end` does. */
function withFirstWrite(end: (write: () => Promise<EndpointKey[]>) => Promise<EndpointKey[]>) {
  let isFirst = true;
  return (store: DeliveryStore): DeliveryStore => ({
    ...store,
    async record(outcomes, lease) {
      const hasOutcomes = outcomes.some(({ first }) => first.length > 0);
      if (!isFirst || !hasOutcomes) return store.record(outcomes, lease);
      isFirst = false;
      await delay(100);
      return end(() => store.record(outcomes, lease));
    },
  });
}

const fail = async () => {
  throw new Error('the connection was lost');
};

test('when nobody knows whether outcomes were noted, serving ends, and the next time sends what was not', async () => {
  for (const isWritten of [true, false]) {
    const key = await place.addWebhook();
    let isCut = true;
    const { runner, sent } = place.openEndpointRunner(accepts, {
      wrap: (store) => ({
        ...store,
        async record(outcomes, lease) {
          const held = !isCut || isWritten ? await store.record(outcomes, lease) : [];
          if (isCut) throw new Error('the connection was lost');
          return held;
        },
      }),
    });
    await place.commit(...many(5));
    await assert.rejects(place.serve(runner, key), /the connection was lost/);
    const sentBefore = sent.length;
    const noted = (await place.deliveries(key)).length;
    assert.equal(noted > 0, isWritten);
    isCut = false;
    await place.serve(runner, key);
    assert.equal(sent.length, sentBefore, 'it is left alone for a moment');
    const heir = place.openEndpointRunner(accepts);
    await place.serve(heir.runner, key);
    assert.equal(new Set(sequencesOf([...sent, ...heir.sent])).size, 5);
    assert.equal((await place.deliveries(key)).length, 5);
    assert.equal(heir.sent.length, 5 - noted);
  }
});

test('a write that fails takes along what waits behind it, so that the place in the log passes nothing', async () => {
  for (const concurrency of [1, 4]) {
    const key = await place.addWebhook({ concurrency });
    const answer = async () => {
      await delay(10);
      return {};
    };
    const { runner, sent } = place.openEndpointRunner(answer, { wrap: withFirstWrite(fail) });
    await place.commit(...many(30));
    await assert.rejects(place.serve(runner, key), /the connection was lost/);
    const heir = place.openEndpointRunner(accepts);
    await place.serve(heir.runner, key);
    assert.equal(new Set((await place.deliveries(key)).map(({ sequence }) => sequence)).size, 30);
    assert.ok(sent.length <= LIMITS.webhookUnrecorded + concurrency, `${sent.length} were sent in vain`);
  }
});

test('however slow its writes are, a process begins no more than is bounded beyond what is written', async () => {
  const key = await place.addWebhook();
  let beyond = 0;
  const { runner, sent } = place.openEndpointRunner(accepts, {
    wrap: (store) => ({
      ...store,
      async record(outcomes, lease) {
        const written = (await place.deliveries(key)).length;
        await delay(50);
        beyond = Math.max(beyond, sent.length - written);
        return store.record(outcomes, lease);
      },
    }),
  });
  await place.commit(...many(50));
  await place.serve(runner, key);
  assert.equal(sent.length, 50);
  assert.ok(beyond > 1 && beyond <= LIMITS.webhookUnrecorded, `${beyond} were not written`);
});

test('a round that fails releases the endpoint once none of its rows can be written any more', async () => {
  const key = await place.addWebhook({ concurrency: 2 });
  let count = 0;
  let jumpMs = 0;
  const { runner } = place.openEndpointRunner(
    async () => {
      count += 1;
      if (count === 2) throw new Error('no more files may be open');
      return {};
    },
    {
      wrap: withFirstWrite((write) => delay(300).then(write)),
      clock: { ...systemClock, monotonic: () => systemClock.monotonic() + jumpMs },
    },
  );
  await place.commit(...many(3));
  await assert.rejects(place.serve(runner, key), /no more files/);
  jumpMs = LIMITS.webhookErrorPauseMs;
  await place.serve(runner, key);
  const sequences = (await place.deliveries(key)).map(({ sequence }) => sequence);
  assert.equal(sequences.length, 3);
  assert.equal(new Set(sequences).size, 3);
});

test('a process that stops while the last event hangs leaves it to the next one', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(() => new Promise(() => {}));
  await place.commit('task.created');
  const stopping = new AbortController();
  const serving = runner.serve(key, stopping.signal);
  await until('it is under way', () => sent.length === 1);
  stopping.abort();
  await serving;
  const heir = place.openEndpointRunner(accepts);
  await place.serve(heir.runner, key);
  assert.deepEqual(sequencesOf(heir.sent), sequencesOf(sent));
});

test('a process that was stopped for longer than its lease begins nothing more when it goes on', async () => {
  const key = await place.addWebhook();
  let jumpMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + jumpMs };
  const { runner, sent } = place.openEndpointRunner(
    () => {
      jumpMs = LIMITS.webhookLeaseMs;
      return {};
    },
    { clock },
  );
  await place.commit(...many(3));
  await place.serve(runner, key);
  assert.equal(sent.length, 1);
});

test('a change of an endpoint in use holds within about a second, however slow the endpoint is', async () => {
  const key = await place.addWebhook();
  const { runner, sent } = place.openEndpointRunner(async () => {
    await delay(100);
    return {};
  });
  await place.commit(...many(200));
  const serving = place.serve(runner, key);
  await until('it is served', () => sent.length > 0);
  await place.sql`UPDATE webhooks SET is_active = false WHERE id = ${key.webhookId}`;
  const sentBefore = sent.length;
  await serving;
  assert.ok(sent.length - sentBefore < 50, `${sent.length - sentBefore} were sent afterwards`);
});

test('one that is switched on again while old attempts end is not disabled by them', async () => {
  const key = await place.addWebhook({ concurrency: 2 });
  const answers: (() => void)[] = [];
  const { runner, sent } = place.openEndpointRunner(() =>
    sent.length === 1
      ? { isSuccess: false, isGone: true, status: 410 }
      : new Promise((resolve) => answers.push(() => resolve({}))),
  );
  await place.commit(...many(2));
  const serving = place.serve(runner, key);
  await until('it is disabled', async () => (await place.follower(key)).disabledReason === 'gone');
  await place.sql`UPDATE webhooks SET active_since = now() WHERE id = ${key.webhookId}`;
  for (const answer of answers) answer();
  await serving;
  const [row] = await place.sql`
    SELECT f.disabled_at >= w.active_since AS is_disabled FROM webhook_followers f
    JOIN webhooks w ON w.organization_id = f.organization_id AND w.id = f.webhook_id WHERE w.id = ${key.webhookId}`;
  assert.equal(row!['isDisabled'], false);
});

test('a replay of one that is switched off waits, without being looked at again and again', async () => {
  const key = await place.addWebhook();
  await place.commit(...many(2));
  await place.sql`UPDATE webhooks SET is_active = false WHERE id = ${key.webhookId}`;
  await place.sql`
    INSERT INTO webhook_orders (organization_id, webhook_id, id, kind, after_sequence, last_sequence, created_at)
    VALUES (${key.organizationId}, ${key.webhookId}, 1, 'replay', 0, 1, now())`;
  const followers = createFollowerStore(place.sql, secretBox);
  const isWaiting = async () =>
    (await followers.findFollowed([key.organizationId])).some(({ waiting }) => waiting.includes(key.webhookId));
  assert.equal(await isWaiting(), false);
  await place.sql`UPDATE webhooks SET is_active = true WHERE id = ${key.webhookId}`;
  assert.equal(await isWaiting(), true);
  const { runner, sent } = place.openEndpointRunner(accepts);
  await place.serve(runner, key);
  assert.equal(sequencesOf(sent).filter((sequence) => sequence === 1).length, 1);
  assert.equal(await isWaiting(), false);
});

test('while its channel is suspended, or its organization inactive, a webhook gets nothing; then everything that waited', async () => {
  const { organizationId } = place;
  const key = await place.addWebhook();
  const [channel] = await place.sql<{ id: number }[]>`
    UPDATE webhooks SET channel_id = (SELECT min(id) FROM channels WHERE organization_id = ${organizationId})
    WHERE id = ${key.webhookId} RETURNING channel_id AS id`;
  const { runner, sent } = place.openEndpointRunner(accepts);
  const bodies = `{"id":"evt_h0_1_1","channelId":${channel!.id},"data":{}}`;
  await place.commit(...many(1));
  await place.sql`UPDATE events SET body = ${bodies} WHERE organization_id = ${organizationId}`;
  await place.sql`UPDATE channels SET status = 'SUSPENDED' WHERE id = ${channel!.id}`;
  await place.serve(runner, key);
  await place.sql`UPDATE channels SET status = 'ACTIVE' WHERE id = ${channel!.id}`;
  await place.sql`UPDATE organizations SET status = 'inactive' WHERE organization_id = ${organizationId}`;
  await place.serve(runner, key);
  assert.equal(sent.length, 0);
  await place.sql`UPDATE organizations SET status = 'active' WHERE organization_id = ${organizationId}`;
  await place.serve(runner, key);
  assert.equal(sent.length, 1);
});

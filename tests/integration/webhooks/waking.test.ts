import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemScheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createFollowerStore, type EndpointKey } from '../../../engine/store/webhooks/follower-store.ts';
import { nameOf } from '../../../workers/webhooks/endpoint-runner.ts';
import { startWaking } from '../../../workers/webhooks/start-waking.ts';
import { secretBox } from '../../support/secrets.ts';
import { until } from '../../support/until.ts';
import { accepts, createRunnerPlace, type RunnerPlace } from './endpoint-runner-place.ts';

let place: RunnerPlace;
before(async () => {
  place = await createRunnerPlace();
});
after(() => place.drop());

/** A process that serves nothing itself; sweeps are made by hand. */
async function startProcess() {
  const followers = createFollowerStore(place.sql, secretBox);
  const jobs: string[] = [];
  let asked = 0;
  let answered = 0;
  let swept = 0;
  let sweep = () => {};
  const waking = startWaking({
    followers: {
      findWaiting: (from, limit) =>
        followers.findWaiting(from, limit).finally(() => {
          swept += 1;
        }),
      findFollowed(organizationIds) {
        asked += 1;
        return followers.findFollowed(organizationIds).finally(() => {
          answered += 1;
        });
      },
    },
    endpoints: { nudge: (keys) => [...keys], justLeft: () => [] },
    runner: { add: async (_name, added) => void jobs.push(...added.map(({ id }) => id)) },
    scheduler: {
      ...systemScheduler,
      every(_periodMs, task) {
        sweep = task;
        return () => {};
      },
    },
    log: createLog('workers', 'silent'),
  });
  await until('the first sweep has ended', () => swept === 1);
  return {
    waking,
    jobs,
    asked: () => asked,
    async sweep() {
      const before = swept;
      sweep();
      await until('the sweep has ended', () => swept > before && answered === asked);
    },
    /**
     * Commits, and gives a hint of it. Resolves to the number of times that Postgres was asked for webhooks to wake.
     */
    async commit(): Promise<number> {
      const before = asked;
      await place.commit('task.created');
      waking.hint(`${place.organizationId}`);
      await until('Postgres has answered', () => answered === asked);
      return asked - before;
    },
  };
}

test('an organization without webhooks is asked about once between two sweeps, however much it commits', async () => {
  const { waking, commit, sweep, jobs } = await startProcess();
  const counts: number[] = [];
  for (let i = 0; i < 10; i += 1) counts.push(await commit());
  await sweep();
  for (let i = 0; i < 10; i += 1) counts.push(await commit());
  waking.stop();
  assert.deepEqual([counts.reduce((sum, count) => sum + count), counts[0], counts[10]], [2, 1, 1]);
  assert.equal(jobs.length, 0);
});

test('a webhook that was just made is found by the next sweep, and each commit wakes it at once from then on', async () => {
  const { waking, commit, sweep, jobs } = await startProcess();
  await commit();
  const webhook = nameOf(await place.addWebhook());
  assert.equal(await commit(), 0);
  assert.equal(jobs.length, 0);
  await sweep();
  await until('it is woken', () => jobs.includes(webhook));
  for (let i = 0; i < 5; i += 1) {
    jobs.length = 0;
    assert.equal(await commit(), 1);
    await until('it is woken', () => jobs.includes(webhook));
  }
  waking.stop();
});

type Switch = (key: EndpointKey) => Promise<unknown>;
const WAYS: readonly (readonly [string, { readonly off: Switch; readonly on: Switch }])[] = [
  [
    'switched off',
    {
      off: ({ webhookId }) => place.sql`UPDATE webhooks SET is_active = false WHERE id = ${webhookId}`,
      on: ({ webhookId }) =>
        place.sql`UPDATE webhooks SET is_active = true, active_since = now() WHERE id = ${webhookId}`,
    },
  ],
  [
    'disabled',
    {
      off: ({ organizationId, webhookId }) => place.sql`
        INSERT INTO webhook_followers (organization_id, webhook_id, last_sequence, disabled_at, disabled_reason)
        VALUES (${organizationId}, ${webhookId}, 0, now(), 'gone')`,
      on: ({ webhookId }) => place.sql`UPDATE webhooks SET active_since = now() WHERE id = ${webhookId}`,
    },
  ],
];

for (const [how, { off, on }] of WAYS) {
  test(`an organization whose webhooks are all ${how} is asked about once between two sweeps, till one is on again`, async () => {
    await place.sql`DELETE FROM webhooks WHERE organization_id = ${place.organizationId}`;
    const key = await place.addWebhook();
    await off(key);
    const { waking, commit, sweep, jobs } = await startProcess();
    assert.deepEqual([await commit(), await commit(), await commit()], [1, 0, 0]);
    await on(key);
    assert.deepEqual([await commit(), jobs.length], [0, 0]);
    await sweep();
    await until('it is woken', () => jobs.length > 0);
    assert.deepEqual(jobs, [nameOf(key)]);
    const { runner, sent } = place.openEndpointRunner(accepts);
    await place.serve(runner, key);
    assert.ok(sent.length > 0, 'what is due was sent');
    assert.deepEqual([await commit(), await commit()], [1, 1]);
    waking.stop();
  });
}

test('of what was ordered for a webhook that is switched off a sweep tells, and the hints that follow', async () => {
  const key = await place.addWebhook();
  await place.sql`UPDATE webhooks SET is_active = false WHERE organization_id = ${place.organizationId}`;
  const { waking, commit, sweep, jobs } = await startProcess();
  await commit();
  await place.sql`
    INSERT INTO webhook_orders (organization_id, webhook_id, id, kind, created_at)
    VALUES (${key.organizationId}, ${key.webhookId}, 1, 'test', now())`;
  await sweep();
  await until('it is woken', () => jobs.length > 0);
  assert.deepEqual(jobs, [nameOf(key)]);
  assert.equal(await commit(), 1);
  waking.stop();
  await place.sql`DELETE FROM webhook_orders WHERE organization_id = ${place.organizationId}`;
  await place.sql`UPDATE webhooks SET is_active = true WHERE id = ${key.webhookId}`;
});

test('of many organizations, those with webhooks are woken by each hint, those without are not asked about', async () => {
  const followers = createFollowerStore(place.sql, secretBox);
  const { organizationId } = place;
  const found = await followers.findFollowed([organizationId - 1, organizationId, organizationId + 1]);
  assert.deepEqual(
    found.map((each) => [each.organizationId, each.waiting.length]),
    [[organizationId, 1]],
  );
  const { waking, jobs, asked } = await startProcess();
  const before = asked();
  for (let i = 0; i < 3; i += 1) {
    jobs.length = 0;
    await place.commit('task.created');
    waking.hint(`${organizationId},${organizationId + 1}`);
    await until('it is woken', () => jobs.length > 0);
  }
  // Nothing is under way any more that it could be asked about with.
  await new Promise(setImmediate);
  waking.hint(`${organizationId + 1}`);
  await new Promise(setImmediate);
  waking.stop();
  assert.equal(asked() - before, 3);
});

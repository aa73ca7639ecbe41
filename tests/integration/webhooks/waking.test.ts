import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemScheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createFollowerStore } from '../../../engine/store/follower-store.ts';
import { startWaking } from '../../../workers/webhooks/start-waking.ts';
import { nameOf } from '../../../workers/webhooks/webhook-desk.ts';
import { until } from '../../support/until.ts';
import { createDeskPlace, type DeskPlace } from './desk-place.ts';

let place: DeskPlace;
before(async () => {
  place = await createDeskPlace();
});
after(() => place.drop());

/** A process that serves nothing itself; sweeps are made by hand. */
async function startProcess() {
  const followers = createFollowerStore(place.sql);
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
    desk: { nudge: (keys) => [...keys], justLeft: () => [] },
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
    /** Commits, and gives a hint of it; resolves to how often Postgres was asked of whom to wake. */
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

test('an organization whose webhooks want nothing now is asked about at each hint: one may be switched on', async () => {
  await place.addWebhook();
  await place.sql`UPDATE webhooks SET is_active = false WHERE organization_id = ${place.organizationId}`;
  const { waking, commit, jobs } = await startProcess();
  assert.deepEqual([await commit(), await commit(), jobs.length], [1, 1, 0]);
  const webhook = nameOf(await place.addWebhook());
  await commit();
  await until('the new one is woken', () => jobs.length > 0);
  assert.deepEqual(jobs, [webhook]);
  waking.stop();
});

test('of many organizations, those with webhooks are woken by each hint, those without are not asked about', async () => {
  const followers = createFollowerStore(place.sql);
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

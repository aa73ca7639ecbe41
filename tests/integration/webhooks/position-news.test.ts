import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../../engine/runtime/clock.ts';
import type { SavedPosition } from '../../../engine/store/positions/position-store.ts';
import type { Roster } from '../../../engine/store/positions/roster-store.ts';
import { createDeliveryStore } from '../../../engine/store/webhooks/delivery-store.ts';
import { createFollowerStore } from '../../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createPositionNewsProcessor } from '../../../workers/webhooks/position-news.ts';
import { secretBox } from '../../support/secrets.ts';
import { openTaskOf } from '../../support/services/open-task.ts';
import { accepts, createRunnerPlace, fails, type RunnerPlace, type Sent } from './endpoint-runner-place.ts';

let place: RunnerPlace;
before(async () => {
  place = await createRunnerPlace();
});
// The news look across organizations.
afterEach(() => place.sql`TRUNCATE webhooks, webhook_followers, webhook_deliveries`);
after(() => place.drop());

const at = (agentId: number, receivedAtMs: number): SavedPosition => ({
  agentId,
  latitude: 51.5,
  longitude: -0.1,
  accuracy: 5,
  speed: Number.NaN,
  heading: Number.NaN,
  altitude: Number.NaN,
  battery: Number.NaN,
  recordedAtMs: receivedAtMs,
  receivedAtMs,
  heardAtMs: 0,
});

const roster: Roster = {
  sequence: 0,
  services: { pickupServiceMs: 0, dropoffServiceMs: 0 },
  agents: [7, 8].map((agentId) => ({
    agentId,
    isActive: true,
    onDuty: true,
    vehicleType: null,
    shifts: null,
    openTasks: agentId === 7 ? [openTaskOf({ taskId: 3 })] : [],
  })),
};

/** A worker's job over these positions, and the passing of the 20 s between two deliveries of a webhook. */
function openNews(
  place: RunnerPlace,
  kept: readonly SavedPosition[],
  {
    aheadMs = 0,
    onLoad = async () => {},
  }: { readonly aheadMs?: number; readonly onLoad?: () => Promise<unknown> } = {},
) {
  const tell = createPositionNewsProcessor({
    followers: createFollowerStore(place.sql, secretBox),
    deliveries: createDeliveryStore(place.sql),
    positions: { load: () => onLoad().then(() => [...kept]) },
    readRoster: async () => roster,
    history: 'h1',
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    log: pino({ level: 'silent' }),
  });
  const letTimePass = async () => {
    await place.sql`UPDATE webhooks SET active_since = active_since - interval '20 s'`;
    await place.sql`UPDATE webhook_followers SET positions_told_at = positions_told_at - interval '20 s'`;
  };
  return { tell, letTimePass };
}

/** The agents of each delivery. */
const agentsOf = (sent: readonly Sent[]): number[][] =>
  sent.map(({ body }) => JSON.parse(body).data.items.map(({ agentId }: { agentId: number }) => agentId));

test('a webhook that asks for positions by name gets the agents heard of since, every 20 s, also after a failure', async () => {
  const key = await place.addWebhook({ events: ['agent.locations_updated'] });
  await place.addWebhook({ events: ['*'] });
  const kept: SavedPosition[] = [at(7, Date.now()), at(8, Date.now() - 3_600_000), at(9, Date.now())];
  const { tell, letTimePass } = openNews(place, kept);
  const { runner, sent } = place.openEndpointRunner(accepts);
  await tell();
  await tell();
  await place.serve(runner, key);
  assert.equal(sent.length, 1);
  const event = JSON.parse(sent[0]!.body);
  assert.equal(event.type, 'agent.locations_updated');
  assert.equal(event.id, sent[0]!.id);
  assert.deepEqual(
    event.data.items.map(({ agentId, activeTaskId, onDuty }: Record<string, unknown>) => [
      agentId,
      activeTaskId,
      onDuty,
    ]),
    [[7, 3, true]],
  );

  await letTimePass();
  kept.push(at(8, Date.now()));
  await tell();
  const failing = place.openEndpointRunner(fails);
  await place.serve(failing.runner, key);
  assert.equal(JSON.parse(failing.sent[0]!.body).data.count, 2, 'what 20 s brought, and what was sent before');
  await letTimePass();
  assert.deepEqual(
    (await place.deliveries(key)).map(({ state }) => state),
    ['succeeded', 'failed'],
    'what was true for a moment is attempted once',
  );
  kept[0] = at(7, Date.now());
  await tell();
  await place.serve(runner, key);
  assert.deepEqual(agentsOf(sent), [[7], [7, 8]]);
  const all = await place.sql`SELECT DISTINCT webhook_id FROM webhook_deliveries`;
  assert.equal(all.length, 1);
});

test('an endpoint that takes no positions rests as any other does, and is disabled after five days', async () => {
  const key = await place.addWebhook({ events: ['agent.locations_updated'] });
  const kept = [at(7, Date.now())];
  const { tell, letTimePass } = openNews(place, kept);
  const { runner, sent } = place.openEndpointRunner(fails);
  const turn = async () => {
    await letTimePass();
    kept[0] = at(7, Date.now());
    await tell();
    await place.serve(runner, key);
  };
  for (let turns = 0; turns < LIMITS.webhookCircuitFailures; turns += 1) await turn();
  await place.sql`UPDATE webhook_followers SET paused_until = paused_until + interval '1 day'`;
  await turn();
  assert.equal(sent.length, LIMITS.webhookCircuitFailures, 'it rests');
  await place.sql`UPDATE webhooks SET active_since = now() - interval '6 days'`;
  await place.sql`UPDATE webhook_followers SET failing_since = now() - interval '5 days', paused_until = now()`;
  await turn();
  assert.equal(sent.length, LIMITS.webhookCircuitFailures + 1, 'one attempt on trial');
  assert.equal((await place.follower(key)).disabledReason, 'failing');
  await turn();
  assert.equal(sent.length, LIMITS.webhookCircuitFailures + 1);
});

test('a position that comes to Redis after the run, or after a later one, is sent by the next, and then no more', async () => {
  const key = await place.addWebhook({ events: ['agent.locations_updated'] });
  const { runner, sent } = place.openEndpointRunner(accepts);
  const receivedAtMs = Date.now();
  const kept = [at(7, receivedAtMs)];
  const { tell, letTimePass } = openNews(place, kept);
  await tell();
  await place.serve(runner, key);
  kept.push(at(8, receivedAtMs - 1_000));
  for (let run = 0; run < 3; run += 1) {
    await letTimePass();
    await tell();
    await place.serve(runner, key);
  }
  assert.deepEqual(agentsOf(sent), [[7], [7, 8]], 'what may have been late is sent once more');
});

test('positions wait until the last ones are accepted, and are then those of the moment', async () => {
  const key = await place.addWebhook({ events: ['agent.locations_updated'] });
  const { runner, sent } = place.openEndpointRunner(accepts);
  const kept = [at(7, Date.now())];
  const { tell, letTimePass } = openNews(place, kept);
  for (let run = 0; run < 3; run += 1) {
    await tell();
    await letTimePass();
  }
  assert.equal((await place.deliveries(key)).length, 1);
  await place.serve(runner, key);
  kept[0] = at(8, Date.now());
  await tell();
  await place.serve(runner, key);
  assert.deepEqual(agentsOf(sent), [[7], [8]]);
});

test('a webhook that an earlier release served gets the positions since, and one that was switched on again no older ones', async () => {
  const key = await place.addWebhook({ events: ['agent.locations_updated'] });
  const { runner, sent } = place.openEndpointRunner(accepts);
  const kept = [at(7, Date.now())];
  const { tell, letTimePass } = openNews(place, kept);
  await tell();
  await place.serve(runner, key);
  await place.sql`UPDATE webhook_followers SET positions_known_until = NULL`;
  await letTimePass();
  kept[0] = at(8, Date.now());
  await tell();
  await place.serve(runner, key);
  await letTimePass();
  kept[0] = at(7, Date.now());
  await place.sql`UPDATE webhooks SET active_since = now() + interval '10 s'`;
  await tell();
  await place.serve(runner, key);
  assert.deepEqual(agentsOf(sent), [[7], [8]]);
});

for (const [whose, aheadMs] of [
  ['ahead', 600_000],
  ['behind', -600_000],
] as const)
  test(`workers whose clock is ten minutes ${whose} send positions as others do`, async () => {
    const key = await place.addWebhook({ events: ['agent.locations_updated'] });
    const { runner, sent } = place.openEndpointRunner(accepts);
    const kept = [at(7, Date.now() - 5_000)];
    await place.sql`UPDATE webhooks SET active_since = now() - interval '10 s'`;
    const { tell, letTimePass } = openNews(place, kept, { aheadMs });
    await tell();
    await tell();
    await place.serve(runner, key);
    assert.deepEqual(agentsOf(sent), [[7]]);
    kept[0] = at(8, Date.now());
    for (let run = 0; run < 3; run += 1) {
      await letTimePass();
      await tell();
      await place.serve(runner, key);
    }
    assert.deepEqual(agentsOf(sent), [[7], [8], [8]], 'what may have been late is sent once more');
  });

test('positions of a gateway whose clock was ten minutes ahead silence no others', async () => {
  const key = await place.addWebhook({ events: ['agent.locations_updated'] });
  const { runner, sent } = place.openEndpointRunner(accepts);
  const kept = [at(7, Date.now() + 600_000)];
  const { tell, letTimePass } = openNews(place, kept);
  await tell();
  await place.serve(runner, key);
  await letTimePass();
  kept.push(at(8, Date.now()));
  await tell();
  await place.serve(runner, key);
  assert.deepEqual(agentsOf(sent), [[7], [7, 8]]);
});

for (const [how, change] of [
  ['switched off', 'UPDATE webhooks SET is_active = false'],
  ['disabled', 'UPDATE webhook_followers SET disabled_at = now()'],
] as const)
  test(`no positions are made due for a webhook that is ${how} just then`, async () => {
    const key = await place.addWebhook({ events: ['agent.locations_updated'] });
    await openNews(place, []).tell();
    const onLoad = () => place.sql.unsafe(change);
    const { tell, letTimePass } = openNews(place, [at(7, Date.now())], { onLoad });
    await letTimePass();
    await tell();
    assert.deepEqual(await place.deliveries(key), []);
  });

for (const isFirst of [true, false])
  test(`two processes at a time make the ${isFirst ? 'first' : 'next'} positions of a webhook due once`, async () => {
    const key = await place.addWebhook({ events: ['agent.locations_updated'] });
    const kept = isFirst ? [at(7, Date.now())] : [];
    const other = openNews(place, kept);
    if (!isFirst) await other.tell();
    await other.letTimePass();
    kept[0] = at(7, Date.now());
    await openNews(place, kept, { onLoad: other.tell }).tell();
    assert.equal((await place.deliveries(key)).length, 1);
  });

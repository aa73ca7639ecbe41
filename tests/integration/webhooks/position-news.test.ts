import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../../engine/runtime/clock.ts';
import type { SavedPosition } from '../../../engine/store/positions/position-store.ts';
import type { Roster } from '../../../engine/store/positions/roster-store.ts';
import { createDeliveryStore } from '../../../engine/store/webhooks/delivery-store.ts';
import { createFollowerStore } from '../../../engine/store/webhooks/follower-store.ts';
import { createPositionNewsProcessor } from '../../../workers/webhooks/position-news.ts';
import { secretBox } from '../../support/secrets.ts';
import { openTaskOf } from '../../support/services/open-task.ts';
import { accepts, createRunnerPlace, fails } from './endpoint-runner-place.ts';

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

test('a webhook that asks for positions by name gets the agents heard of since, every 20 s, and not while it fails', async () => {
  const place = await createRunnerPlace();
  try {
    const key = await place.addWebhook({ events: ['agent.locations_updated'] });
    await place.addWebhook({ events: ['*'] });
    const kept: SavedPosition[] = [at(7, Date.now()), at(8, Date.now() - 3_600_000), at(9, Date.now())];
    const process = createPositionNewsProcessor({
      followers: createFollowerStore(place.sql, secretBox),
      deliveries: createDeliveryStore(place.sql),
      positions: { load: async () => kept },
      readRoster: async () => roster,
      history: 'h1',
      clock: systemClock,
      log: pino({ level: 'silent' }),
    });
    const letTimePass = () =>
      place.sql`UPDATE webhook_followers SET positions_told_at = positions_told_at - interval '20 s'`;
    const { runner, sent } = place.openEndpointRunner(accepts);
    await process();
    await process();
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
    await process();
    const failing = place.openEndpointRunner(fails);
    await place.serve(failing.runner, key);
    assert.equal(JSON.parse(failing.sent[0]!.body).data.count, 2, 'what 20 s brought, and what was sent before');
    await letTimePass();
    await process();
    assert.deepEqual(
      (await place.deliveries(key)).map(({ state }) => state),
      ['succeeded', 'failed'],
      'what was true for a moment is attempted once',
    );
    const all = await place.sql`SELECT DISTINCT webhook_id FROM webhook_deliveries`;
    assert.equal(all.length, 1);
  } finally {
    await place.drop();
  }
});

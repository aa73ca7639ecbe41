import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRelayLag } from '../../../engine/store/log/relay-lag.ts';
import { createWorkersPlace } from './workers-place.ts';

test('the lag of a relay is the events that its consumer has not seen, and the age of the oldest', async () => {
  const place = await createWorkersPlace(2);
  try {
    const [first, second] = place.organizationIds as [number, number];
    const consumers = async () =>
      (await readRelayLag(place.sql)).map(({ consumer, events, seconds }) => [
        consumer,
        events,
        Math.round(seconds / 3_600),
      ]);
    assert.deepEqual(await consumers(), [
      ['activity', 0, 0],
      ['notices', 0, 0],
    ]);
    // The place dates every other event back by a day, the first one too.
    await place.commit(first, 3);
    await place.commit(second, 2);
    assert.deepEqual(await consumers(), [
      ['activity', 5, 24],
      ['notices', 5, 24],
    ]);
    await place.sql`INSERT INTO relay_positions (organization_id, consumer, last_sequence)
      VALUES (${first}, 'activity', 3), (${second}, 'activity', 1)`;
    assert.deepEqual(await consumers(), [
      ['activity', 1, 0],
      ['notices', 5, 24],
    ]);
  } finally {
    await place.drop();
  }
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createRelayStore } from '../../../engine/store/log/relay-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { until } from '../../support/until.ts';
import {
  countedAndLogged,
  createWorkersPlace,
  startWorkersHere,
  startWorkersProcess,
  type WorkersPlace,
  type WorkersProcess,
} from './workers-place.ts';

/** Each test has organizations of its own; the last ones spoil their logs. */
const SEVERAL = 5;
let place: WorkersPlace;
/** The worker that the first test leaves to the second. */
let doomed: WorkersProcess | undefined;
before(async () => {
  place = await createWorkersPlace(SEVERAL + 4);
});
after(async () => {
  await doomed?.kill();
  await place?.drop();
});

test('5,000 events are counted exactly once by two workers of which one is killed again and again', async () => {
  const steady = await startWorkersHere(place);
  doomed = await startWorkersProcess(place.environment);
  try {
    const writing = (async () => {
      for (let round = 0; round < 50; round++) {
        for (const organizationId of place.organizationIds.slice(0, SEVERAL)) await place.commit(organizationId, 20);
      }
    })();
    for (let kills = 0; kills < 3; kills++) {
      await delay(150);
      await doomed.kill();
      doomed = await startWorkersProcess(place.environment);
    }
    await writing;
    await place.untilCounted();
    const { counted, logged } = await countedAndLogged(place.sql);
    assert.deepEqual(counted, logged);
    assert.equal(sum(counted), 5_000);
  } finally {
    await steady.stop();
  }
});

test('a worker killed in the middle of a count leaves it to be taken up by another, and nothing counted twice', async () => {
  const organizationId = place.organizationIds[SEVERAL]!;
  let heir: Awaited<ReturnType<typeof startWorkersHere>> | undefined;
  try {
    await place.commit(organizationId, 1);
    await place.untilCounted();
    await place.sql.begin(async (holder) => {
      await holder`SELECT FROM relay_positions WHERE organization_id = ${organizationId} FOR UPDATE`;
      await place.commit(organizationId, 2 * LIMITS.activityPageEvents);
      await untilCountIsWaiting(place.sql);
      await doomed!.kill();
      heir = await startWorkersHere(place);
    });
    // The dead worker's job is locked in Redis until it counts as stalled.
    await place.untilCounted();
    const { counted, logged } = await countedAndLogged(place.sql);
    assert.deepEqual(counted, logged);
  } finally {
    await heir?.stop();
  }
});

test('many counts of one organization at the same time count each event once', async () => {
  const store = createRelayStore(place.sql);
  const organizationId = place.organizationIds[SEVERAL + 1]!;
  await place.commit(organizationId, 3 * LIMITS.activityPageEvents);
  let isWriting = true;
  const writing = (async () => {
    for (let i = 0; i < 40; i++) await place.commit(organizationId, 50);
    isWriting = false;
  })();
  const counters = Array.from({ length: 8 }, async () => {
    let counted = 0;
    for (;;) {
      const isLast = !isWriting;
      const page = (await store.countActivity(organizationId))!.counted;
      counted += page;
      if (isLast && page === 0) return counted;
    }
  });
  await writing;
  const byEach = await Promise.all(counters);
  assert.equal(
    byEach.reduce((a, b) => a + b),
    5_000,
  );
  assert.ok(byEach.filter((each) => each > 0).length > 1, `one counted alone: ${byEach}`);
  const { counted, logged } = await countedAndLogged(place.sql);
  assert.deepEqual(counted, logged);
});

test('the count goes on behind events that retention dropped, and says how many they were', async () => {
  const store = createRelayStore(place.sql);
  const organizationId = place.organizationIds[SEVERAL + 2]!;
  await place.commit(organizationId, 10);
  assert.deepEqual(await store.countActivity(organizationId), { after: 0, counted: 10, lost: 0, hasHole: false });
  await place.commit(organizationId, 20);
  await place.sql`DELETE FROM events WHERE organization_id = ${organizationId} AND sequence <= 25`;
  assert.deepEqual(await store.countActivity(organizationId), { after: 10, counted: 5, lost: 15, hasHole: false });
  await place.commit(organizationId, 5);
  await place.sql`DELETE FROM events WHERE organization_id = ${organizationId}`;
  assert.deepEqual(await store.countActivity(organizationId), { after: 30, counted: 0, lost: 5, hasHole: false });
  assert.deepEqual(await store.countActivity(organizationId), { after: 35, counted: 0, lost: 0, hasHole: false });
});

test('a hole in the middle of a log stops the count in front of it', async () => {
  const store = createRelayStore(place.sql);
  const organizationId = place.organizationIds[SEVERAL + 3]!;
  await place.commit(organizationId, 20);
  await place.sql`DELETE FROM events WHERE organization_id = ${organizationId} AND sequence = 8`;
  assert.deepEqual(await store.countActivity(organizationId), { after: 0, counted: 7, lost: 0, hasHole: false });
  assert.deepEqual(await store.countActivity(organizationId), { after: 7, counted: 0, lost: 0, hasHole: true });
  assert.deepEqual(await store.countActivity(organizationId), { after: 7, counted: 0, lost: 0, hasHole: true });
});

test('an organization that is gone leaves no position behind', async () => {
  const gone = 4_711;
  assert.equal(await createRelayStore(place.sql).countActivity(gone), undefined);
  assert.deepEqual([...(await place.sql`SELECT FROM relay_positions WHERE organization_id = ${gone}`)], []);
});

function untilCountIsWaiting(sql: Sql): Promise<void> {
  return until('a count waits for the position', async () => {
    const waiting = await sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'dispatch workers'
        AND wait_event_type = 'Lock'`;
    return waiting.length > 0;
  });
}

function sum(rows: readonly { readonly count?: number }[]): number {
  return rows.reduce((total, row) => total + row.count!, 0);
}

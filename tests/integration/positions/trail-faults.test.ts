import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../../engine/launcher/stores/embedded-postgres.ts';
import { migrate } from '../../../engine/store/migrate.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { terminate, untilBlocked } from '../../faults/support/backends.ts';
import { startTcpProxy } from '../../support/services/tcp-proxy.ts';
import { freezeTree } from '../../support/system/frozen-tree.ts';
import { PATIENCE_MS } from '../../support/until.ts';
import { countPoints, openTrailPlace, pointAt, TRAIL, type TrailPlace, untilWritten } from './trail-place.ts';

/** The way of points into the trail with a real Postgres; a promise that never settles fails by its time. */

const KILLS = 20;
const CHUNK = LIMITS.trailFlushPoints;

async function withPlace(body: (place: TrailPlace) => Promise<void>): Promise<void> {
  const place = await openTrailPlace();
  try {
    await body(place);
  } finally {
    await place.stop();
  }
}

/** Locks the partitions of the days that have begun, or begin in the meantime, until the test releases them. */
async function holdDays({ sql }: TrailPlace): Promise<() => Promise<void>> {
  let release = () => {};
  const wanted = new Promise<void>((resolve) => {
    release = resolve;
  });
  let hold = () => {};
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  const days = await sql<{ name: string }[]>`
    SELECT 'agent_trail_' || to_char(now() AT TIME ZONE 'UTC' + day * interval '1 day', 'YYYYMMDD') AS name
    FROM generate_series(0, 1) AS day`;
  const holder = sql.begin(async (tx) => {
    for (const { name } of days) await tx`LOCK TABLE ${tx(name)} IN SHARE MODE`;
    hold();
    await wanted;
  });
  await Promise.race([held, holder]);
  return async () => {
    release();
    await holder;
  };
}

test('a backend that is killed amid a COPY loses nothing: the COPY fails, and is made again', async () => {
  await withPlace(async (place) => {
    const { sql, databaseUrl, organizationId, agentId } = place;
    const letGo = await holdDays(place);
    const buffer = place.buffer();
    const now = Date.now();
    for (let i = 0; i < CHUNK; i++) buffer.note(organizationId, agentId, pointAt(now + i), now);
    await untilBlocked(databaseUrl, TRAIL);
    await terminate(databaseUrl, TRAIL);
    await letGo();
    await untilWritten(buffer);
    assert.equal(await countPoints(sql, organizationId), CHUNK);
    assert.deepEqual([buffer.written, buffer.dropped], [CHUNK, 0]);
  });
});

test(`${KILLS} backends killed amid COPYs lose nothing and stop nothing`, async (t) => {
  await withPlace(async (place) => {
    const { sql, organizationId, agentId } = place;
    const buffer = place.buffer();
    const firstAt = Date.now() - 3_600_000;
    let noted = 0;
    let isOver = false;
    const feed = async () => {
      for (; !isOver; await delay(20)) {
        const upTo = buffer.buffered > 5 * CHUNK ? noted : noted + 1_000;
        for (; noted < upTo; noted++) buffer.note(organizationId, agentId, pointAt(firstAt + noted), firstAt + noted);
      }
    };
    const feeding = feed();
    let kills = 0;
    for (const giveUpAt = performance.now() + PATIENCE_MS; kills < KILLS && performance.now() < giveUpAt; ) {
      const killed = await sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = ${TRAIL} AND state = 'active' AND query LIKE '%COPY%'`;
      kills += killed.length;
      // Pauses grow while nothing gets through.
      const { written } = buffer;
      while (killed.length > 0 && buffer.written === written) await delay(5);
      await delay((kills * 11) % 30);
    }
    isOver = true;
    await feeding;
    await untilWritten(buffer);
    t.diagnostic(`${noted} points, ${kills} kills`);
    assert.equal(kills, KILLS);
    assert.equal(await countPoints(sql, organizationId), noted);
    assert.deepEqual([buffer.written, buffer.dropped], [noted, 0]);
  });
});

test('a connection that falls silent amid a COPY is left behind for another one', async () => {
  await withPlace(async (place) => {
    const { databaseUrl, sql, organizationId, agentId } = place;
    const proxy = await startTcpProxy(databaseUrl);
    try {
      const buffer = place.buffer({ url: proxy.url, patience: { statementTimeoutMs: 1_000, deadlineMs: 500 } });
      const now = Date.now();
      buffer.note(organizationId, agentId, pointAt(now), now);
      await untilWritten(buffer);
      for (const direction of ['up', 'down'] as const) {
        const silent = proxy.connections(TRAIL).at(-1)!;
        silent.silence(direction);
        const at = now + (direction === 'up' ? 1 : 2);
        buffer.note(organizationId, agentId, pointAt(at), now);
        await untilWritten(buffer);
        assert.ok(
          (direction === 'up' ? silent.heldUp : silent.heldDown) > 0,
          `it was silent amid a COPY, ${direction}`,
        );
        silent.resume();
      }
      assert.equal(await countPoints(sql, organizationId), 3);
      await buffer.stop();
    } finally {
      await proxy.stop();
    }
  });
});

test('points noted while Postgres stands still for five seconds are there afterwards', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-trail-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ directory, settings: { shared_buffers: '16MB' } });
  try {
    await migrate(server.url);
    const place = await openTrailPlace(server.url);
    const { sql, organizationId, agentId } = place;
    const buffer = place.buffer();
    const firstAt = Date.now();
    let noted = 0;
    const noteFor = async (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; await delay(5)) {
        for (let i = 0; i < 50; i++, noted++) buffer.note(organizationId, agentId, pointAt(firstAt + noted), firstAt);
      }
    };
    await noteFor(1_500);
    const thaw = freezeTree(server.pid);
    try {
      await noteFor(5_000);
      assert.ok(buffer.buffered > 10 * 50, `${buffer.buffered} points wait`);
    } finally {
      thaw();
    }
    await noteFor(1_500);
    await untilWritten(buffer);
    assert.equal(await countPoints(sql, organizationId), noted);
    assert.equal(buffer.dropped, 0);
    await place.stop();
  } finally {
    await server.stop();
  }
});

test('a day without a partition costs its points, and nothing behind them', async () => {
  await withPlace(async (place) => {
    const { sql, organizationId, agentId } = place;
    const buffer = place.buffer();
    const now = Date.now();
    const nextMonth = now + 30 * 86_400_000;
    for (let i = 0; i < CHUNK; i++) buffer.note(organizationId, agentId, pointAt(nextMonth), now);
    for (let i = 0; i < 3; i++) buffer.note(organizationId, agentId, pointAt(now + i), now);
    await untilWritten(buffer);
    assert.deepEqual([buffer.written, buffer.dropped], [3, CHUNK]);
    assert.equal(await countPoints(sql, organizationId), 3);
  });
});

test('every noted point has its partition, however long ago within the bound it was recorded', async () => {
  await withPlace(async (place) => {
    const { sql, organizationId, agentId } = place;
    const buffer = place.buffer();
    const now = Date.now();
    // Received yesterday, and written only now.
    for (const receivedAt of [now, now - 86_400_000])
      for (let past = 0; past <= LIMITS.trailPastMs; past += LIMITS.trailPastMs / 8)
        buffer.note(organizationId, agentId, pointAt(receivedAt - past), receivedAt);
    await untilWritten(buffer);
    assert.equal(buffer.dropped, 0);
    assert.equal(await countPoints(sql, organizationId), 9 + 4);
  });
});

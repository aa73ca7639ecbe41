import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { residentMiB } from '../../../bench/measure/process-cpu.ts';
import { spreadOf } from '../../../bench/statistics.ts';
import { createTestPlace, startTestGateway } from '../../support/system/gateway.ts';
import { seedFleet, startReportingFleet } from './reporting-fleet.ts';

const AGENTS = 10_000;
const RATE_SECONDS = 2;
const SECONDS = Number(process.env['LOCATION_FLEET_SECONDS'] ?? 300);
/** Connections open, code gets compiled, heaps find their size. */
const WARM_UP_SECONDS = Math.min(60, SECONDS / 2);
const SAMPLE_MS = 1_000;
/** Streams send positions once a second; the rest is for the way there and back. */
const SEEN_P99_MS = 1_200;
const GROWTH = { mebibytes: 20, share: 0.1 };

test('10,000 agents reporting every 2 s meet no error, are seen within 1.2 s and leave memory flat', async (t) => {
  const place = await createTestPlace();
  const agentIds = await seedFleet(place.databaseUrl, place.organizationId, AGENTS);
  const gateway = await startTestGateway({ place, process: true });
  const { baseUrl, databaseUrl } = gateway;
  const fleet = await startReportingFleet({
    ...{ baseUrl, databaseUrl, agentIds, organization: place },
    rateSeconds: RATE_SECONDS,
  });
  const { tally } = fleet;
  try {
    await delay(WARM_UP_SECONDS * 1_000);
    tally.forgetTimes();
    const acceptedBefore = tally.points.accepted;
    const cpuBefore = process.cpuUsage();
    const samples: number[] = [];
    const end = performance.now() + SECONDS * 1_000;
    for (; performance.now() < end; await delay(SAMPLE_MS)) samples.push(residentMiB(gateway.pid!));
    const accepted = tally.points.accepted - acceptedBefore;
    const { user, system } = process.cpuUsage(cpuBefore);
    const edge = Math.ceil(samples.length / 5);
    const [first, last] = [spreadOf(samples.slice(0, edge)).median, spreadOf(samples.slice(-edge)).median];
    const p99 = tally.seen.total.percentile(0.99)!;
    const postP99 = tally.posts.total.percentile(0.99)!;
    t.diagnostic(
      `${accepted} points in ${SECONDS} s; post p99 ${postP99.toFixed(1)} ms, longest ${tally.posts.total.maxMs.toFixed(0)} ms; ` +
        `agent to stream p99 ${p99.toFixed(0)} ms; gateway ${first.toFixed(0)} → ${last.toFixed(0)} MiB; ` +
        `the fleet itself took ${((user + system) / SECONDS / 10_000).toFixed(0)} % of a core`,
    );
    assert.deepEqual(Object.fromEntries(tally.errors), {}, 'requests failed');
    const { stale, rejected, dropped } = tally.points;
    assert.deepEqual({ stale, rejected, dropped }, { stale: 0, rejected: 0, dropped: 0 });
    const wanted = (AGENTS / RATE_SECONDS) * SECONDS;
    assert.ok(accepted > wanted * 0.98, `only ${accepted} of ${wanted} points were taken`);
    assert.ok(tally.seen.total.count > accepted * 0.98, `only ${tally.seen.total.count} positions were seen`);
    assert.ok(p99 <= SEEN_P99_MS, `p99 from agent to stream is ${p99.toFixed(0)} ms`);
    const allowed = Math.max(GROWTH.mebibytes, first * GROWTH.share);
    assert.ok(last - first < allowed, `memory grew from ${first.toFixed(0)} to ${last.toFixed(0)} MiB`);
  } finally {
    fleet.stop();
    await gateway.stop();
    await place.drop();
  }
});

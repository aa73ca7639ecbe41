import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { assertComplete, cpuMs, MIB, residentBytes, withStand } from './stream-stand.ts';

/** Five seconds are the aim, on a machine that has nothing else to do. */
const COMPLETE_MS = 30_000;

test('1,000 subscribers that are dropped at once come back and have everything soon', async (t) => {
  await withStand(async ({ gateway, subscribers, open, commit }) => {
    await open(1_000);
    await commit(100, 3);
    await subscribers.ask({ kind: 'reach', sequence: 300 });
    await subscribers.ask({ kind: 'leave' });
    await commit(100, 2);
    const [cpu, cameBackAt] = [cpuMs(gateway), performance.now()];
    await subscribers.ask({ kind: 'return' });
    const report = await subscribers.ask({ kind: 'reach', sequence: 500 });
    const tookMs = Math.round(performance.now() - cameBackAt);
    t.diagnostic(`complete ${tookMs} ms after they came back, ${cpuMs(gateway) - cpu} ms of the gateway's time`);
    assertComplete(report, 500);
    assert.equal(report.cuts, 1_000);
    assert.ok(tookMs < COMPLETE_MS, `complete after ${tookMs} ms`);
  });
});

test('200 subscribers that come back from beyond memory are given what is in the log, in bounded memory', async (t) => {
  await withStand(async ({ subscribers, open, commit, gateway }) => {
    await open(200);
    await commit(50, 1);
    await subscribers.ask({ kind: 'reach', sequence: 50 });
    await subscribers.ask({ kind: 'leave' });
    const missed = LIMITS.recentEventsPerOrganization + 500;
    await commit(300, missed / 300);
    const rss = residentBytes(gateway);
    const cameBackAt = performance.now();
    await subscribers.ask({ kind: 'return' });
    const report = await subscribers.ask({ kind: 'reach', sequence: 50 + missed });
    const grown = residentBytes(gateway) - rss;
    const tookMs = Math.round(performance.now() - cameBackAt);
    t.diagnostic(`${missed} events each after ${tookMs} ms; memory grew by ${Math.round(grown / MIB)} MiB`);
    assertComplete(report, 50 + missed);
    assert.ok(grown < 400 * MIB, `memory grew by ${Math.round(grown / MIB)} MiB`);
  });
});

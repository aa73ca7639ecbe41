import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertComplete, cpuMs, MIB, residentBytes, tell, withStand } from './stream-stand.ts';

for (const { count, perSecond } of [
  { count: 5_000, perSecond: 10 },
  { count: 500, perSecond: 200 },
]) {
  test(`${count} subscribers get ${perSecond} events a second for a minute, nothing lost and nothing twice`, async (t) => {
    await withStand(async ({ gateway, subscribers, open, commit }) => {
      await open(count);
      await commit(perSecond, 2);
      tell(t, 'the first 2 s', await subscribers.ask({ kind: 'reach', sequence: perSecond * 2 }));
      await subscribers.ask({ kind: 'forget' });
      const [rss, cpu] = [residentBytes(gateway), cpuMs(gateway)];
      let peak = rss;
      const sampling = setInterval(() => (peak = Math.max(peak, residentBytes(gateway))), 500);
      await commit(perSecond, 60);
      const events = perSecond * 62;
      const report = await subscribers.ask({ kind: 'reach', sequence: events });
      clearInterval(sampling);
      tell(t, `${count} × ${perSecond}/s`, report);
      const perDelivery = ((cpuMs(gateway) - cpu) * 1_000) / (perSecond * 60 * count);
      t.diagnostic(`gateway: ${perDelivery.toFixed(2)} µs per event and subscriber, ${Math.round(peak / MIB)} MiB`);
      assertComplete(report, events);
      assert.equal(report.cuts, 0);
      assert.ok(peak - rss < 200 * MIB, `memory grew by ${Math.round((peak - rss) / MIB)} MiB`);
    });
  });
}

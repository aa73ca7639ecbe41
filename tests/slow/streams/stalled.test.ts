import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../support/until.ts';
import { assertComplete, MIB, metricsOf, residentBytes, tell, withStand } from './stream-stand.ts';
import { startSubscribers } from './subscribers.ts';

test('a subscriber that stops reading is cut, comes back and misses nothing, while 950 go on', async (t) => {
  await withStand(async ({ gateway, api, subscribers, open, commit }) => {
    const slow = startSubscribers();
    try {
      const { organizationId, key, baseUrl } = gateway;
      const path = `/api/v1/realtime/organizations/${organizationId}/events`;
      await open(950, '?types=task.created');
      await slow.ask({ kind: 'open', count: 1, port: Number(new URL(baseUrl).port), path, key });
      await slow.ask({ kind: 'stall' });
      const task = await api.createTask();
      const rss = residentBytes(gateway);
      // Large changes fill the buffers of the stream with all types; the others get new tasks.
      const notes = 'x'.repeat(9_000);
      await commit(100, 30, (index, headers) =>
        index % 10 === 0
          ? api.createTask({}, headers)
          : api.patch(`/tasks/${task.id}`, { notes: `${index}${notes}` }, headers),
      );
      await until('the stalled one is cut', async () => /^dispatch_streams 950$/m.test(await metricsOf(gateway)));
      await until('the others have all', async () => {
        const { clients } = await subscribers.ask({ kind: 'reach', sequence: 0 });
        return clients.every(({ count }) => count === 301);
      });
      const report = await subscribers.ask({ kind: 'reach', sequence: 0 });
      tell(t, 'the 950', report);
      assert.deepEqual([report.twice, report.resyncs, report.cuts], [0, 0, 0]);
      const grown = residentBytes(gateway) - rss;
      t.diagnostic(`memory grew by ${Math.round(grown / MIB)} MiB`);
      assert.ok(grown < 200 * MIB);
      await slow.ask({ kind: 'wake' });
      const woken = await slow.ask({ kind: 'reach', sequence: 3_001 });
      assert.ok(woken.cuts > 0, 'it was never cut');
      assertComplete(woken, 3_001);
    } finally {
      await slow.stop();
    }
  });
});

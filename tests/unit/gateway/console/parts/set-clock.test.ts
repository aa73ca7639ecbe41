import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../../../../../gateway/console/live/api.ts';
import { LiveCore } from '../../../../../gateway/console/live/live-core.ts';
import type { TaskView } from '../../../../../schema/tasks/task-view.ts';
import { until } from '../../../../support/until.ts';

const NOON = Date.parse('2031-05-01T12:00:00.000Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const at = (ms: number) => new Date(NOON + ms).toISOString();

/** A console of an empty organization, on a machine whose clock is slow. Its first stream alone says that it is open. */
async function slowConsole(t: test.TestContext, slowMs: number) {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: NOON - slowMs });
  const streams: ((message: object) => void)[] = [];
  const follow = async (_from: string, signal: AbortSignal) =>
    (async function* () {
      const ended = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
      const sent = new Promise<object>((resolve) => streams.push(resolve));
      if (streams.length === 1) yield { type: 'stream.ready', position: 'log-5', serverTime: at(0) };
      const message = await Promise.race([sent, ended]);
      if (message) yield message;
      await ended;
    })();
  const api = {
    open: async () => new Response('', { headers: { 'x-log-position': 'log-5', date: new Date(NOON).toUTCString() } }),
    read: async () => ({ data: { items: [], count: 0 }, position: 'log-5' }),
    me: async () => ({ data: {}, position: 'log-5' }),
    failure: (error: unknown) => ({ failure: { status: 0 }, message: String(error) }),
    follow,
  };
  const core = new LiveCore(api as unknown as Api, 'UTC', () => {});
  t.after(() => core.stop());
  void core.run();
  await until('it is live', () => core.connection.state === 'live');
  return { core, streams };
}

for (const setMs of [7 * MINUTE, -7 * MINUTE])
  test(`a clock that is set by ${setMs / MINUTE} min leaves the time of the server, and asks it again`, async (t) => {
    const { core, streams } = await slowConsole(t, 7 * MINUTE);
    assert.equal(core.nowMs, NOON);
    t.mock.timers.setTime(Date.now() + setMs);
    streams[0]!({ type: 'agent.locations_updated', timestamp: at(-1_000), data: { items: [] } });
    await until('it opens another stream', () => streams.length === 2);
    assert.ok(Math.abs(core.nowMs - NOON) < 10_000, `${core.nowMs - NOON} ms from the server`);
  });

test('a clock that is a day ahead for a while takes no task of today from the console', async (t) => {
  const { core } = await slowConsole(t, 0);
  const ended = { id: 1, status: 'completed', outcome: 'succeeded', completedAt: at(-MINUTE), nextTaskId: null };
  const lists = { children: [], packages: [], customer: null, contact: null };
  core.records.putTask({ ...ended, ...lists } as unknown as TaskView, 5);
  t.mock.timers.setTime(Date.now() + DAY);
  t.mock.timers.tick(30_000);
  assert.ok(core.records.tasks.has(1));
});

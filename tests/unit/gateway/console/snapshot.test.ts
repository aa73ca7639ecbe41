import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSnapshot } from '../../../../gateway/console/live/snapshot.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const ZONE = 'Europe/Berlin';

/** An API of an empty organization, and the paths that it was asked for. */
function emptyApi(headers: Record<string, string>) {
  const asked: string[] = [];
  const api = {
    open: async (path: string) => {
      asked.push(path);
      return new Response('', { headers });
    },
    read: async <T>() => ({ data: { items: [], count: 0 } as T, position: 'log-7' }),
  };
  return { api, asked };
}

test('today is what the clock of the server says, however wrong this machine is', async () => {
  const { api, asked } = emptyApi({ 'x-log-position': 'log-5', date: 'Sun, 29 Mar 2026 12:00:00 GMT' });
  const { position } = await loadSnapshot(api, ZONE, new AbortController().signal);
  assert.equal(position, 'log-5');
  assert.deepEqual(asked.slice(1), [
    '/tasks/export?status=completed,cancelled&updatedFrom=2026-03-28T23:00:00.000Z',
    '/tasks/export?status=completed&outcome=failed&completedFrom=2026-03-28T12:00:00.000Z&completedTo=2026-03-28T23:00:00.000Z',
  ]);
});

test('a snapshot without a date is refused in words, since nobody could tell which tasks are of today', async () => {
  const { api } = emptyApi({ 'x-log-position': 'log-5' });
  await assert.rejects(loadSnapshot(api, ZONE, new AbortController().signal), /says no date/);
});

test('no more than two exports of an organization run at a time', async () => {
  let [running, most] = [0, 0];
  const api = {
    open: async () => {
      running += 1;
      most = Math.max(most, running);
      const body = new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          running -= 1;
          controller.close();
        },
      });
      return new Response(body, { headers: { 'x-log-position': 'log-5', date: 'Sun, 29 Mar 2026 12:00:00 GMT' } });
    },
    read: async <T>() => ({ data: { items: [], count: 0 } as T, position: 'log-7' }),
  };
  await loadSnapshot(api, ZONE, new AbortController().signal);
  assert.equal(most, LIMITS.exportsPerOrganization);
});

test('an export that falls silent is given up, since a connection that has died never ends by itself', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const headers = { 'x-log-position': 'log-5', date: 'Sun, 29 Mar 2026 12:00:00 GMT' };
  let [reads, given] = [0, 0];
  const api = {
    open: async () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            reads += 1;
            if (reads === 1) controller.enqueue(new TextEncoder().encode('\n'));
            else return new Promise(() => undefined);
          },
          cancel: () => {
            given += 1;
          },
        }),
        { headers },
      ),
    read: async <T>() => ({ data: { items: [], count: 0 } as T, position: 'log-7' }),
  };
  const loading = loadSnapshot(api, ZONE, new AbortController().signal);
  const failing = assert.rejects(loading, /silent for 10000 ms/);
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(1_000);
  }
  await failing;
  assert.ok(given > 0, 'the connection is still open');
});

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Releaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { stopOnSignals } from '../../../engine/runtime/stop-on-signals.ts';

/** A process whose drain goes on until `drained`; its ends are the codes it would have exited with. */
function drainingProcess(t: TestContext) {
  const listeners = new Map<string, () => void>();
  const ends: unknown[] = [];
  t.mock.method(process, 'on', ((event: string, listener: () => void) => {
    listeners.set(event, listener);
    return process;
  }) as typeof process.on);
  t.mock.method(process, 'exit', ((code: unknown) => void ends.push(code)) as typeof process.exit);
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const releaser = { stop: () => ended } as Releaser;
  const stop = stopOnSignals(releaser, createLog('test', 'silent'));
  const drained = async () => {
    end();
    await ended;
    return ends;
  };
  return { stop, ends, drained, hear: (event: string) => listeners.get(event)!() };
}

test('another reason to stop cuts no drain off', async (t) => {
  const { stop, hear, drained } = drainingProcess(t);
  hear('SIGTERM');
  stop('another history', 1);
  hear('disconnect');
  hear('SIGHUP');
  assert.deepEqual(await drained(), [0]);
});

test('a process that stops for another reason drains on at a first signal', async (t) => {
  const { stop, hear, drained } = drainingProcess(t);
  stop('another history', 1);
  stop('another history', 1);
  hear('SIGTERM');
  assert.deepEqual(await drained(), [1]);
});

for (const first of ['SIGTERM', 'SIGINT'])
  test(`a second signal after ${first} ends a process at once`, (t) => {
    const { hear, ends } = drainingProcess(t);
    hear(first);
    assert.deepEqual(ends, []);
    hear('SIGTERM');
    assert.deepEqual(ends, [1]);
  });

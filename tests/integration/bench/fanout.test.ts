import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFanout } from '../../../bench/fanout/run-fanout.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';

test('options of the bench of streams that cannot be used are told with its usage', async () => {
  for (const args of [
    ['--only', 'webhooks'],
    ['--subscribers', '0'],
    ['--rate', '8'],
  ]) {
    const running = runFanout(args, createReleaser(assert.fail), AbortSignal.abort());
    await assert.rejects(running, /Usage: npm run bench -- fanout/);
  }
});

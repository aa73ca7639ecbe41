import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFanout } from '../../../bench/fanout/run-fanout.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';

test('the bench of streams rejects unusable options with its usage', async () => {
  for (const args of [
    ['--only', 'webhooks'],
    ['--subscribers', '0'],
    ['--rate', '8'],
  ]) {
    const running = runFanout(args, createReleaser(assert.fail), AbortSignal.abort());
    await assert.rejects(running, /Usage: npm run bench -- fanout/);
  }
});

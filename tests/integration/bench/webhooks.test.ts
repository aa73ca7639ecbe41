import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWebhooks } from '../../../bench/webhooks/run-webhooks.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';

test('the bench of webhooks rejects unusable options with its usage', async () => {
  for (const args of [
    ['--webhooks', '30', '--organizations', '8'],
    ['--deliveries', '1001'],
    ['--concurrency', '17'],
    ['--tasks', '8'],
  ]) {
    const running = runWebhooks(args, createReleaser(assert.fail), AbortSignal.abort());
    await assert.rejects(running, /Usage: npm run bench -- webhooks/);
  }
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startLauncher, temporaryDirectory } from './launcher-run.ts';

/** `npm start` with settings that only the programs it starts would use. */

for (const [name, value] of [
  ['REDIS_URL', 'redis://:hush@127.0.0.1/queue'],
  ['SMTP_URL', 'nonsense'],
  ['FCM_SERVICE_ACCOUNT', '{"private_key": "hush"}'],
  ['FCM_SERVICE_ACCOUNT', '/nowhere/account.json'],
  ['WORKERS_METRICS_HOST', '203.0.113.1'],
  ['PUBLIC_URL', 'https://a.example/?x=1'],
] as const) {
  test(`${name}=${value} ends the start before anything is started`, async (t) => {
    const dataDir = temporaryDirectory(t);
    const run = startLauncher(dataDir, { [name]: value });
    // One that goes on is stopped, and ends with 0.
    const code = await run.ready().then(
      () => run.exit('SIGTERM'),
      () => run.exit(),
    );
    assert.equal(code, 1);
    assert.match(run.output(), new RegExp(`^ *${name}\\b`, 'm'));
    assert.doesNotMatch(run.output(), /hush|^ +at |Ready at/m);
    for (const store of ['postgres', 'redis']) assert.equal(existsSync(join(dataDir, store)), false, store);
  });
}

import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createLocalInstance, type LocalParts } from '../../../engine/launcher/local-instance.ts';
import { LaunchError } from '../../../engine/launcher/processes/launch-error.ts';
import { createMergedLog } from '../../../engine/launcher/processes/merged-log.ts';
import { ConfigError } from '../../../engine/runtime/config.ts';
import { testRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { startLauncher, temporaryDirectory } from './launcher-run.ts';

/** `npm start` with settings that only the programs it starts would use. */

const HUSH = '{"private_key": "hush"}';

function assertNothingMade(dataDir: string): void {
  for (const store of ['postgres', 'redis']) assert.equal(existsSync(join(dataDir, store)), false, store);
}

const nothing = () => assert.fail('nothing was to be started');
const command = { file: '/nonexistent', args: [] };

function instanceAt(dataDir: string, settings: Record<string, string>, migrate: LocalParts['migrate'] = nothing) {
  return createLocalInstance({
    environment: { DATA_DIR: dataDir, PORT: '0', ...settings },
    withFleet: false,
    renewsHistory: false,
    parts: {
      ...{ gateway: command, workers: command, fleet: command },
      ...{ migrate, renewHistory: nothing, ensureDemoOrganization: nothing },
    },
    log: createMergedLog(() => {}, { colors: false }),
    onGivenUp: () => {},
  });
}

/** The error of a start in this process, which is stopped in any case. */
async function refusalOf(t: TestContext, dataDir: string, settings: Record<string, string>): Promise<unknown> {
  const instance = instanceAt(dataDir, settings);
  t.after(() => instance.stop());
  return instance.start().then(
    () => undefined,
    (error) => error,
  );
}

for (const [name, value] of [
  ['REDIS_URL', 'redis://:hush@127.0.0.1/queue'],
  ['SMTP_URL', 'nonsense'],
  ['FCM_SERVICE_ACCOUNT', HUSH],
  ['FCM_SERVICE_ACCOUNT', '/nowhere/account.json'],
  ['WORKERS_METRICS_HOST', '203.0.113.1'],
  ['PUBLIC_URL', 'https://a.example/?x=1'],
] as const) {
  test(`${name}=${value} ends the start before anything is started`, async (t) => {
    const dataDir = temporaryDirectory(t);
    const refusal = await refusalOf(t, dataDir, { [name]: value });
    assert.ok(refusal instanceof ConfigError || refusal instanceof LaunchError, `${refusal}`);
    assert.match(refusal.message, new RegExp(`^ *${name}\\b`, 'm'));
    assert.doesNotMatch(refusal.message, /hush/);
    assertNothingMade(dataDir);
  });
}

test('an empty setting leaves the value in place that `npm start` has for it', async (t) => {
  const dataDir = temporaryDirectory(t);
  // Plain HTTP is refused there, and the production default would not have it.
  const refusal = await refusalOf(t, dataDir, { HOST: '0.0.0.0', ALLOW_INSECURE_HTTP: '' });
  assert.match(`${refusal}`, /ALLOW_INSECURE_HTTP=1 works only on a loopback address/);
  assertNothingMade(dataDir);
});

test('an empty secrets.key ends the start before anything is started, and stays as it is', async (t) => {
  const dataDir = temporaryDirectory(t);
  const keyFile = join(dataDir, 'secrets.key');
  writeFileSync(keyFile, '');
  const refusal = await refusalOf(t, dataDir, {});
  assert.ok(refusal instanceof LaunchError && refusal.message.startsWith(`${keyFile} is empty.`), `${refusal}`);
  assert.equal(statSync(keyFile).size, 0);
  assertNothingMade(dataDir);
});

test('the launcher reports such a setting without a stack and without its value, and ends with 1', async (t) => {
  const dataDir = temporaryDirectory(t);
  const run = startLauncher(dataDir, { FCM_SERVICE_ACCOUNT: HUSH });
  // One that goes on is stopped, and ends with 0.
  const code = await run.ready().then(
    () => run.exit('SIGTERM'),
    () => run.exit(),
  );
  assert.equal(code, 1);
  assert.match(run.output(), /^ *FCM_SERVICE_ACCOUNT\b/m);
  assert.doesNotMatch(run.output(), /hush|^ +at |Ready at/m);
  assertNothingMade(dataDir);
});

test('a stop ends a migration that runs, and waits until it has ended', async (t) => {
  // Stands in for one on a database that is given, where Postgres would go on.
  let running: { readonly signal: AbortSignal | undefined; readonly fail: (error: Error) => void } | undefined;
  const migrate: LocalParts['migrate'] = (_url, { signal }) =>
    new Promise((_resolve, fail) => {
      running = { signal, fail };
    });
  const stores = { DATABASE_URL: 'postgres://nowhere/', REDIS_URL: testRedis().url };
  const instance = instanceAt(temporaryDirectory(t), stores, migrate);
  const started = instance.start().catch((error: Error) => error.message);
  await until('it runs', () => running !== undefined);
  let isStopped = false;
  const stopped = instance.stop().then(() => {
    isStopped = true;
  });
  assert.equal(running!.signal?.aborted, true);
  await delay(50);
  assert.equal(isStopped, false);
  running!.fail(new Error('terminated'));
  await stopped;
  assert.equal(await started, 'terminated');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../engine/runtime/config.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { checkEvictionPolicy } from '../../../workers/eviction-policy.ts';

function watchedLog() {
  const log = createLog('workers', 'silent');
  const warnings: unknown[] = [];
  log.warn = (...args: unknown[]) => void warnings.push(args);
  return { log, warnings };
}

test('a Redis that refuses when full is accepted in silence', async () => {
  const { log, warnings } = watchedLog();
  await checkEvictionPolicy({ info: async () => '# Memory\r\nmaxmemory_policy:noeviction\r\n' }, log);
  assert.deepEqual(warnings, []);
});

test('a Redis that evicts is refused, with its policy named', async () => {
  const { log } = watchedLog();
  const redis = { info: async () => '# Memory\r\nmaxmemory_policy:volatile-lru\r\n' };
  await assert.rejects(
    checkEvictionPolicy(redis, log),
    (error) => error instanceof ConfigError && /volatile-lru/.test(error.message),
  );
});

test('a Redis that does not tell its policy is taken with a warning', async () => {
  for (const info of [
    async () => '',
    () => Promise.reject(Object.assign(new Error('NOPERM'), { name: 'ReplyError' })),
  ]) {
    const { log, warnings } = watchedLog();
    await checkEvictionPolicy({ info }, log);
    assert.equal(warnings.length, 1);
  }
});

test('a Redis that goes away during the question fails the start', async () => {
  const { log } = watchedLog();
  const redis = { info: () => Promise.reject(new Error('Connection is closed.')) };
  await assert.rejects(checkEvictionPolicy(redis, log), /Connection is closed/);
});

import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Redis } from 'ioredis';
import {
  type LocalRedis,
  type LocalRedisOptions,
  startLocalRedis,
} from '../../../engine/launcher/stores/local-redis.ts';
import { temporaryDirectory } from './launcher-run.ts';

test('a new server never evicts, answers only its password, and keeps that password to its owner', async (t) => {
  const directory = temporaryDirectory(t);
  const server = await start(t, { directory, persistence: 'everysec' });
  const settings = await ask(server.url, (redis) => redis.config('GET', 'maxmemory-policy'));
  assert.deepEqual(settings, ['maxmemory-policy', 'noeviction']);
  await assert.rejects(
    ask(`redis://127.0.0.1:${server.port}`, (redis) => redis.get('x')),
    /NOAUTH/,
  );
  for (const file of ['password', 'redis.conf'])
    assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file);
});

test('with persistence the data outlives a kill, without it the data ends with the server', async (t) => {
  for (const [persistence, expected] of [
    ['everysec', '7'],
    ['none', null],
  ] as const) {
    const directory = temporaryDirectory(t);
    const first = await start(t, { directory, persistence });
    await ask(first.url, (redis) => redis.set('mark', '7'));
    first.kill();
    assert.equal(await first.ended, 'was ended by SIGKILL');
    const second = await start(t, { directory, persistence });
    assert.equal(await ask(second.url, (redis) => redis.get('mark')), expected, persistence);
  }
});

test('a server left behind in the directory is stopped by the next start', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await start(t, { directory, persistence: 'none' });
  const second = await start(t, { directory, persistence: 'none' });
  assert.equal(await first.ended, 'exited with code 0');
  assert.equal(await ask(second.url, (redis) => redis.ping()), 'PONG');
});

test('files that Redis cannot read are moved aside, and it starts empty', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await start(t, { directory, persistence: 'everysec' });
  await ask(first.url, (redis) => redis.set('mark', '7'));
  await first.stop();
  const files = join(directory, 'appendonlydir');
  const log = readdirSync(files).find((name) => name.includes('.incr.'));
  assert.ok(log);
  writeFileSync(join(files, log), 'not a log of Redis\r\n');

  const lines: string[] = [];
  const second = await start(t, { directory, persistence: 'everysec', onLine: (line) => lines.push(line) });
  assert.equal(await ask(second.url, (redis) => redis.get('mark')), null);
  assert.ok(lines.some((line) => line.startsWith('Redis could not read its files')));
  assert.ok(readdirSync(directory).includes('appendonlydir.unreadable'));
});

async function start(t: TestContext, options: LocalRedisOptions): Promise<LocalRedis> {
  const server = await startLocalRedis(options);
  t.after(server.stop);
  return server;
}

async function ask<T>(url: string, query: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { enableReadyCheck: false, retryStrategy: () => null });
  try {
    return await query(redis);
  } finally {
    redis.disconnect();
  }
}

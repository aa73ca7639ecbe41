import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../../engine/runtime/config.ts';

/** Which values of settings stop a start, and what its message must not tell. */

const USABLE = {
  DATABASE_URL: [
    '',
    'postgres://127.0.0.1/dispatch',
    'postgresql://dispatch:p%40ss@db.example.com:5432/dispatch?sslmode=require',
    'postgres://dispatch:x@a.example:5432,b.example:5433/dispatch',
    'postgres:///dispatch',
  ],
  REDIS_URL: [
    '',
    'redis://127.0.0.1:6379',
    'rediss://user:p%40ss@redis.example.com:6380/1',
    'redis://:x@[::1]:6379/0?family=6',
    '/run/redis/redis.sock',
    '/run/redis/redis.sock?db=2',
  ],
  SMTP_URL: ['', 'smtp://127.0.0.1:25', 'smtps://user:p%40ss@mail.example.com'],
  PUBLIC_URL: ['', 'https://a.example', 'http://127.0.0.1:8080/', 'https://a.example/dispatch/'],
  TRUSTED_PROXIES: ['', '127.0.0.1', '10.0.0.0/8, 2001:db8::/32,::1'],
  FAULT_POINT: ['', 'before-commit-send', 'after-notice-sent:2'],
} as const;

const UNUSABLE = {
  DATABASE_URL: [
    'nonsense',
    'mysql://root:hush@127.0.0.1/dispatch',
    'postgres:127.0.0.1',
    'postgres://dispatch:hush%@127.0.0.1/dispatch',
    'postgres://dispatch:hush@127.0.0.1:port/dispatch',
    'postgres://dispatch:hush@127.0.0.1/dispatch?application_name=hush',
  ],
  REDIS_URL: [
    'nonsense',
    '127.0.0.1:6379',
    'http://127.0.0.1',
    '//127.0.0.1',
    'redis://:hush%@127.0.0.1',
    'redis://:hush@127.0.0.1/queue',
    'redis://:hush@127.0.0.1:port',
  ],
  SMTP_URL: [
    'nonsense',
    'mail.example.com',
    'https://mail.example.com',
    'smtp://',
    'smtp://user:hush%@mail.example.com',
  ],
  PUBLIC_URL: [
    'a.example',
    'ftp://a.example',
    'https://a.example/?x=1',
    'https://a.example/?',
    'https://a.example/#fragment',
    'https://a.example/#',
    'https://user:hush@a.example',
    ' https://a.example',
  ],
  TRUSTED_PROXIES: [
    'nonsense',
    '10.0.0.0/33',
    '127.0.0.1,10.0.0.0/x',
    '10.0.0.0/',
    'fd00::/',
    '10.0.0.0/8/24',
    '10.0.0.0/0x8',
  ],
  FAULT_POINT: ['nope', 'before-commit', 'before-commit-send:', 'before-commit-send:x', 'before-commit-send:1:1'],
} as const;

for (const [name, values] of Object.entries(USABLE)) {
  for (const value of values) {
    test(`${name}=${value} can be used`, () => assert.ok(readConfig({ [name]: value })));
  }
}

for (const [name, values] of Object.entries(UNUSABLE)) {
  for (const value of values) {
    test(`${name}=${value} stops the start with a message that names it and tells no password`, () => {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) =>
          error instanceof ConfigError && error.message.includes(`\n  ${name}: `) && !error.message.includes('hush'),
      );
    });
  }
}

test('an empty address of a store is none', () => {
  const { databaseUrl, redisUrl } = readConfig({ DATABASE_URL: '', REDIS_URL: '' });
  assert.deepEqual([databaseUrl, redisUrl], [undefined, undefined]);
});

test('a port cannot be shared with the adapter of Node', () => {
  assert.throws(
    () => readConfig({ SHARED_PORT: '1', HTTP_ADAPTER: 'node' }),
    (error) => error instanceof ConfigError && /^SHARED_PORT=1 .*HTTP_ADAPTER=node/.test(error.message),
  );
  assert.equal(readConfig({ SHARED_PORT: '1' }).sharedPort, true);
  assert.equal(readConfig({ SHARED_PORT: '0', HTTP_ADAPTER: 'node' }).sharedPort, false);
});

test('an empty setting is an unset one: it neither listens everywhere, nor trusts plain HTTP, nor moves the data', () => {
  const names = ['HOST', 'WORKERS_METRICS_HOST', 'DATA_DIR', 'TLS_CERT_FILE', 'TLS_KEY_FILE', 'PORT', 'LOG_LEVEL'];
  assert.deepEqual(readConfig(Object.fromEntries(names.map((name) => [name, '']))), readConfig({}));
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { isStoreAway } from '../../../engine/store/postgres.ts';

const MISSING = '/nonexistent/file';

test('a fault of a file of ours is none of a store', () => {
  assert.throws(
    () => readFileSync(MISSING),
    (error) => !isStoreAway(error),
  );
  const denied = Object.assign(new Error('EMFILE: too many open files'), {
    code: 'EMFILE',
    path: '/dist/console/a.js',
  });
  assert.equal(isStoreAway(denied), false);
});

test('a store that cannot be reached is away, at a port or at a socket', async () => {
  const socket = connect(`${MISSING}/.s.PGSQL.5432`);
  const atSocket: NodeJS.ErrnoException = await new Promise((resolve) => socket.once('error', resolve));
  assert.deepEqual([atSocket.code, isStoreAway(atSocket)], ['ENOENT', true]);
  for (const code of ['ECONNREFUSED', 'EMFILE', 'CONNECT_TIMEOUT', '57P01', '53300', '08006']) {
    assert.equal(isStoreAway(Object.assign(new Error(code), { code })), true, code);
  }
  assert.equal(isStoreAway(Object.assign(new Error('duplicate key'), { code: '23505' })), false);
});

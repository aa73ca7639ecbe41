import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as argon2 from '@node-rs/argon2';
import { createPasswordHasher } from '../../../../gateway/accounts/password-hasher.ts';
import { RefusalError } from '../../../../gateway/refusal-error.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const AT_ONCE_OF_ONE = LIMITS.passwordHashes + LIMITS.passwordQueuePerAddress;

/** Checks that end, the oldest first, when the test says so. */
function heldChecks() {
  const held: (() => void)[] = [];
  const hasher = createPasswordHasher({
    hash: () => assert.fail('nothing is hashed'),
    verify: () => new Promise((resolve) => held.push(() => resolve(false))),
  });
  const endOne = async () => {
    held.shift()!();
    await new Promise(setImmediate);
  };
  const endAll = async () => {
    while (held.length > 0) await endOne();
  };
  return { hasher, endOne, endAll };
}

test('a hash is argon2id of 19 MiB and two passes, and only its own password is right', async () => {
  const hasher = createPasswordHasher();
  const hashed = await hasher.hash('correct horse', '192.0.2.1');
  assert.match(hashed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await hasher.verify('correct horse', hashed, '192.0.2.1'), true);
  assert.equal(await hasher.verify('correct horsf', hashed, '192.0.2.1'), false);
});

test('no password is right where there is no hash, and finding that out is the same work', async () => {
  const checked: unknown[] = [];
  const verify: typeof argon2.verify = (hashed, password) => {
    checked.push(String(hashed).split('$', 4));
    return argon2.verify(hashed, password);
  };
  const hasher = createPasswordHasher({ ...argon2, verify });
  await hasher.verify('x', await hasher.hash('y', null), null);
  assert.equal(await hasher.verify('', undefined, null), false);
  assert.equal(await hasher.verify('anything', undefined, null), false);
  assert.deepEqual(checked, Array(3).fill(['', 'argon2id', 'v=19', 'm=19456,t=2,p=1']));
});

test('a flood from one address is refused past its share, and leaves another its turn', async () => {
  const { hasher, endOne, endAll } = heldChecks();
  const finished: string[] = [];
  const check = (address: string) => hasher.verify('x', undefined, address).then(() => finished.push(address));
  const flood = Array.from({ length: AT_ONCE_OF_ONE }, () => check('flooder'));
  await assert.rejects(check('flooder'), RefusalError);
  const other = check('other');
  // The running ones, the next one, and then the other.
  for (let i = 0; i < LIMITS.passwordHashes + 2; i++) await endOne();
  assert.equal(finished.at(-1), 'other', finished.join(' '));
  await endAll();
  await Promise.all([...flood, other]);
  assert.equal(finished.length, AT_ONCE_OF_ONE + 1);
  const again = check('flooder');
  await endAll();
  await again;
  assert.equal(finished.length, AT_ONCE_OF_ONE + 2, 'there is room again');
});

test('the queue is bounded over all addresses, and the refusal says when to retry', async () => {
  const { hasher, endAll } = heldChecks();
  const checks = Array.from({ length: LIMITS.passwordHashes + LIMITS.passwordQueue }, (_, i) =>
    hasher.verify('x', undefined, `192.0.2.${i}`),
  );
  await assert.rejects(hasher.verify('x', undefined, 'one more'), (error) => {
    assert.ok(error instanceof RefusalError);
    assert.equal(error.refusal.code, 'RATE_LIMITED');
    assert.deepEqual(error.refusal.details, { retryAfterSeconds: 1 });
    return true;
  });
  await endAll();
  assert.deepEqual(new Set(await Promise.all(checks)), new Set([false]));
});

test('a hash that is none rejects and gives its place back', async () => {
  const hasher = createPasswordHasher();
  for (let i = 0; i < 2 * LIMITS.passwordHashes; i++) await assert.rejects(hasher.verify('x', 'no hash', null));
  assert.equal(await hasher.verify('x', undefined, null), false);
});

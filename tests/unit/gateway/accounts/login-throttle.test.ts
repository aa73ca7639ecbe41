import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoginThrottle } from '../../../../gateway/accounts/login-throttle.ts';
import { networkOf } from '../../../../gateway/guards/network-of.ts';
import { LIMITS } from '../../../../schema/limits.ts';

/** A throttle with a clock that is set by hand, in milliseconds. */
function throttleAt(startMs = 0) {
  let nowMs = startMs;
  const throttle = new LoginThrottle({ now: () => nowMs, monotonic: () => nowMs });
  const fail = (email: string, address: string | null) => 'forgive' in throttle.draw(email, address);
  return {
    throttle,
    fail,
    /** How many of `count` failures get through. */
    failures: (count: number, email: string, address: string | null) =>
      Array.from({ length: count }, () => fail(email, address)).filter(Boolean).length,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('an account takes five failures a minute from one address, and then one every twelve seconds', () => {
  const { throttle, fail, failures, pass } = throttleAt(1_000_000);
  assert.equal(failures(9, 'ada@example.com', '192.0.2.1'), 5);
  assert.deepEqual(throttle.draw('ada@example.com', '192.0.2.1'), { retryAfterSeconds: 12 });
  pass(11_999);
  assert.deepEqual(throttle.draw('ada@example.com', '192.0.2.1'), { retryAfterSeconds: 1 });
  pass(1);
  assert.equal(fail('ada@example.com', '192.0.2.1'), true);
  assert.equal(fail('ada@example.com', '192.0.2.1'), false);
  pass(3_600_000);
  assert.equal(failures(9, 'ada@example.com', '192.0.2.1'), 5, 'never more than a full bucket');
});

test('failures elsewhere lock nobody out', () => {
  const { fail, failures } = throttleAt();
  assert.equal(failures(1_000, 'ada@example.com', '192.0.2.1'), 5);
  assert.equal(fail('ada@example.com', '192.0.2.2'), true, 'the same account from another address');
  assert.equal(fail('bob@example.com', '192.0.2.1'), true, 'another account from the same address');
});

test('the spelling of an address in capitals is the same account', () => {
  const { fail, failures } = throttleAt();
  assert.equal(failures(5, 'ada@example.com', null), 5);
  assert.equal(fail('ADA@Example.COM', null), false);
});

test('an address takes sixty failures a minute over all accounts, an IPv6 network like one address', () => {
  for (const addressOf of [() => '192.0.2.1', (i: number) => `2001:db8:1:2::${(i + 1).toString(16)}`]) {
    const { throttle, fail, pass } = throttleAt();
    for (let i = 0; i < 60; i++) assert.equal(fail(`user-${i}@example.com`, addressOf(i)), true);
    assert.deepEqual(throttle.draw('one-more@example.com', addressOf(60)), { retryAfterSeconds: 1 });
    pass(1_000);
    assert.equal(fail('one-more@example.com', addressOf(60)), true);
  }
});

test('an attempt that was no failure counts for nothing, and those under way count until then', () => {
  const { throttle } = throttleAt(5_000);
  for (let i = 0; i < 200; i++) {
    const attempt = throttle.draw('ada@example.com', '192.0.2.1');
    assert.ok('forgive' in attempt);
    attempt.forgive();
  }
  const underWay = Array.from({ length: 5 }, () => throttle.draw('ada@example.com', '192.0.2.1'));
  assert.ok('retryAfterSeconds' in throttle.draw('ada@example.com', '192.0.2.1'));
  for (const attempt of underWay) if ('forgive' in attempt) attempt.forgive();
  assert.ok('forgive' in throttle.draw('ada@example.com', '192.0.2.1'));
});

test('the memory of the throttle is bounded: the address that was seen least recently is forgotten', () => {
  const { fail, failures } = throttleAt();
  assert.equal(failures(9, 'ada@example.com', '192.0.2.1'), 5);
  assert.equal(failures(9, 'bob@example.com', '192.0.2.2'), 5);
  for (let i = 1; i < LIMITS.throttledLogins; i++) fail('x@example.com', `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  assert.equal(fail('bob@example.com', '192.0.2.2'), false);
  assert.equal(fail('ada@example.com', '192.0.2.1'), true);
});

for (const [address, network] of [
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['::2:3:4:5:192.0.2.1', '0:0:2:3::/64'],
  ['not an address', 'not an address'],
] as const) {
  test(`${address} is of the network ${network}`, () => assert.equal(networkOf(address), network));
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswordHasher } from '../../../../gateway/accounts/password-hasher.ts';
import { startQuotas } from '../../../../gateway/guards/quotas.ts';
import { RefusalError } from '../../../../gateway/refusal-error.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createHandClock } from '../guards/hand-clock.ts';

/** Bounds that one customer of an IPv6 provider, who has 2^64 addresses, must not escape. */

const OTHER_NETWORK = '2001:db8:0:2::1';
const addressOf = (n: number) => `2001:db8:0:1::${n.toString(16)}`;

test('passwords from one IPv6 network wait as those of one address, whichever of its addresses they come from', async () => {
  const hasher = createPasswordHasher();
  const share = LIMITS.passwordHashes + LIMITS.passwordQueuePerAddress;
  const flood = Array.from({ length: share }, (_, i) => hasher.verify('x', undefined, addressOf(i)));
  await assert.rejects(hasher.verify('x', undefined, addressOf(share)), RefusalError);
  await assert.rejects(hasher.hash('x', addressOf(share + 1)), RefusalError);
  assert.equal(await hasher.verify('x', undefined, OTHER_NETWORK), false);
  await Promise.all(flood);
});

test('requests of nobody from one IPv6 network draw on one bucket', () => {
  const { clock, scheduler } = createHandClock();
  const quotas = startQuotas(clock, scheduler);
  let drawn = 0;
  while (drawn < 10_000 && quotas.drawAddress(addressOf(drawn)).retryAfterSeconds === null) drawn += 1;
  assert.ok(drawn < 10_000, 'there is an end to it');
  assert.equal(quotas.drawAddress(OTHER_NETWORK).retryAfterSeconds, null);
  quotas.stop();
});

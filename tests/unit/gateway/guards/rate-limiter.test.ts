import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RateLimiter } from '../../../../gateway/guards/rate-limiter.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createHandClock } from './hand-clock.ts';

const SEED = 20_261_122;

function openLimiter() {
  const { clock, advance } = createHandClock();
  const limiter = new RateLimiter<number>('requests', clock);
  const draw = (key: number, perSecond: number) => {
    const { headers, retryAfterSeconds } = limiter.draw(key, perSecond);
    const { r, t } = /r=(?<r>\d+);t=(?<t>\d+)$/.exec(headers[1]![1])!.groups!;
    return { remaining: Number(r), resetSeconds: Number(t), retryAfterSeconds, headers };
  };
  return { limiter, draw, advance };
}

/** Draws until it is refused; how often it was not. */
function exhaust(draw: () => { retryAfterSeconds: number | null }, most = 10_000): number {
  for (let count = 0; count < most; count++) if (draw().retryAfterSeconds !== null) return count;
  return most;
}

test('a full bucket holds twice the rate, and is refilled at the rate', async () => {
  const { draw, advance } = openLimiter();
  assert.equal(
    exhaust(() => draw(1, 500)),
    1_000,
  );
  await advance(100);
  assert.equal(
    exhaust(() => draw(1, 500)),
    50,
  );
  await advance(3_600_000);
  assert.equal(
    exhaust(() => draw(1, 500)),
    1_000,
  );
});

test('the headers tell the policy, what is left, and when the bucket is full again', async () => {
  const { draw, advance } = openLimiter();
  assert.deepEqual(draw(1, 500).headers, [
    ['RateLimit-Policy', '"requests";q=1000;w=2'],
    ['RateLimit', '"requests";r=999;t=1'],
  ]);
  exhaust(() => draw(1, 500));
  assert.deepEqual(draw(1, 500).headers[1], ['RateLimit', '"requests";r=0;t=2']);
  await advance(1_500);
  assert.deepEqual(draw(1, 500).headers[1], ['RateLimit', '"requests";r=749;t=1']);
});

test('a refused caller gets the time of its next request, and passes then', async () => {
  for (const perSecond of [1, 3, 500, 100_000]) {
    const { draw, advance } = openLimiter();
    exhaust(() => draw(1, perSecond), 1_000_000);
    const { retryAfterSeconds } = draw(1, perSecond);
    assert.ok(retryAfterSeconds! >= 1);
    await advance(retryAfterSeconds! * 1_000);
    assert.equal(draw(1, perSecond).retryAfterSeconds, null);
  }
});

test('a refused request takes nothing', async () => {
  const { draw, advance } = openLimiter();
  exhaust(() => draw(1, 1));
  for (let i = 0; i < 1_000; i++) assert.notEqual(draw(1, 1).retryAfterSeconds, null);
  await advance(1_000);
  assert.equal(draw(1, 1).retryAfterSeconds, null);
});

test('the next request pays a debt', async () => {
  const { limiter, draw, advance } = openLimiter();
  exhaust(() => draw(1, 10));
  await advance(100);
  assert.equal(draw(1, 10).retryAfterSeconds, null);
  limiter.owe(1, 10, 10);
  assert.equal(draw(1, 10).retryAfterSeconds, 2, 'ten of debt and one to take');
  await advance(1_000);
  assert.equal(draw(1, 10).retryAfterSeconds, 1);
  await advance(100);
  assert.equal(draw(1, 10).retryAfterSeconds, null);
});

test('a caller with a changed rate starts again with it', () => {
  const { draw } = openLimiter();
  exhaust(() => draw(1, 100_000), 1_000_000);
  assert.equal(
    exhaust(() => draw(1, 1)),
    2,
  );
});

test('10,000 callers each have their own bucket, however much others use, and full buckets are forgotten', async () => {
  const { limiter, draw, advance } = openLimiter();
  const callers = Array.from({ length: 10_000 }, (_, index) => index + 1);
  for (const key of callers) for (let i = 0; i < 5; i++) assert.equal(draw(key, 2).retryAfterSeconds === null, i < 4);
  for (let second = 0; second < 3; second++) {
    await advance(1_000);
    for (let greedy = 1; greedy <= 100; greedy++) exhaust(() => draw(greedy, 2));
    for (const key of callers.slice(100)) {
      assert.equal(draw(key, 2).retryAfterSeconds, null);
      assert.equal(draw(key, 2).retryAfterSeconds, null);
    }
  }
  assert.equal(limiter.size, 10_000);
  limiter.sweep();
  assert.equal(limiter.size, 10_000, 'none of them is full');
  await advance(2_000);
  limiter.sweep();
  assert.equal(limiter.size, 0);
});

test('however many callers come, so many are remembered and no more', () => {
  const { limiter, draw } = openLimiter();
  exhaust(() => draw(-1, 1));
  for (let key = 0; key < LIMITS.rateLimitedCallers - 1; key++) draw(key, 500);
  assert.equal(limiter.size, LIMITS.rateLimitedCallers);
  assert.notEqual(draw(-1, 1).retryAfterSeconds, null, 'still remembered');
  for (let key = 0; key < 10; key++) draw(1_000_000 + key, 500);
  assert.equal(limiter.size, LIMITS.rateLimitedCallers);
});

test('it lets through exactly what a bucket of whole drops would', async () => {
  const step = fc.record({ waitMs: fc.nat(800), draws: fc.nat(30) });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 2, 4, 5, 10, 20), fc.array(step, { maxLength: 30 }), async (rate, steps) => {
      const { draw, advance } = openLimiter();
      // A drop is a thousandth of a request, so that a millisecond's flow is a whole number of them.
      let drops = 2 * rate * 1_000;
      for (const { waitMs, draws } of steps) {
        await advance(waitMs);
        drops = Math.min(2 * rate * 1_000, drops + waitMs * rate);
        for (let i = 0; i < draws; i++) {
          const isAllowed = drops >= 1_000;
          if (isAllowed) drops -= 1_000;
          const { retryAfterSeconds, remaining } = draw(1, rate);
          assert.equal(retryAfterSeconds === null, isAllowed);
          assert.equal(remaining, Math.floor(drops / 1_000));
        }
      }
    }),
    { numRuns: 60, seed: SEED },
  );
});

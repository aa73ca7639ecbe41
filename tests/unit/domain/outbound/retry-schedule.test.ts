import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAttemptAt, parseRetryAfter } from '../../../../engine/domain/outbound/retry-schedule.ts';

const NOW = Date.parse('2026-11-21T04:00:00.000Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

for (const [attempt, pauseMs] of [
  [1, 5 * SECOND],
  [2, 5 * MINUTE],
  [3, 30 * MINUTE],
  [4, 2 * HOUR],
  [5, 5 * HOUR],
  [6, 10 * HOUR],
  [7, 14 * HOUR],
  [8, 20 * HOUR],
  [9, 24 * HOUR],
] as const) {
  test(`after attempt ${attempt} comes a pause of ${pauseMs / SECOND} s, and up to a fifth more`, () => {
    assert.equal(nextAttemptAt(attempt, NOW, undefined, 0), NOW + pauseMs);
    assert.equal(nextAttemptAt(attempt, NOW, undefined, 0.5), NOW + 1.1 * pauseMs);
    const last = nextAttemptAt(attempt, NOW, undefined, 1 - Number.EPSILON)!;
    assert.ok(last <= NOW + 1.2 * pauseMs && last > NOW + 1.19 * pauseMs);
  });
}

test('no attempt follows the tenth, even if the endpoint asks for one', () => {
  assert.equal(nextAttemptAt(10, NOW, undefined, 0), undefined);
  assert.equal(nextAttemptAt(10, NOW, MINUTE, 0), undefined);
});

for (const [attempt, retryAfterMs, pauseMs] of [
  [1, 4 * SECOND, 5 * SECOND],
  [1, 7 * SECOND, 7 * SECOND],
  [3, HOUR, HOUR],
  [4, HOUR, 2 * HOUR],
  [1, 100 * HOUR, 24 * HOUR],
] as const) {
  test(`Retry-After of ${retryAfterMs / SECOND} s after attempt ${attempt} makes the pause ${pauseMs / SECOND} s`, () => {
    assert.equal(nextAttemptAt(attempt, NOW, retryAfterMs, 0), NOW + pauseMs);
  });
}

for (const [header, pauseMs] of [
  ['0', 0],
  ['7', 7 * SECOND],
  [' 120 ', 2 * MINUTE],
  ['Sat, 21 Nov 2026 04:01:00 GMT', MINUTE],
  ['Sat, 21 Nov 2026 03:59:00 GMT', undefined],
  ['Sat, 99 Nov 2026 04:01:00 GMT', undefined],
  [undefined, undefined],
  ['', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['soon', undefined],
  ['2027', 2_027 * SECOND],
  ['2027-01-01', undefined],
  ['9'.repeat(400), undefined],
] as const) {
  test(`Retry-After: ${header?.slice(0, 40)} asks for ${pauseMs === undefined ? 'nothing' : `${pauseMs} ms`}`, () => {
    assert.equal(parseRetryAfter(header, NOW), pauseMs);
  });
}

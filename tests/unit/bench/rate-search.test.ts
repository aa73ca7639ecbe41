import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateSearch } from '../../../bench/fanout/rate-search.ts';

/** Searches with every rate up to `limit` passing. */
function searched(limit: number, start: number, stride: number): { readonly found: number; readonly tried: number[] } {
  const search = new RateSearch(start, stride);
  const tried: number[] = [];
  for (let rate = search.next; rate !== undefined; rate = search.next) {
    tried.push(rate);
    assert.ok(tried.length < 100, 'the search does not end');
    search.take(rate <= limit ? 'passed' : 'failed');
  }
  return { found: search.found, tried };
}

test('a search finds the limit within 8 %, wherever it begins', () => {
  for (const limit of [3, 41, 137, 2_500]) {
    for (const start of [2, 40, 5_000]) {
      const { found } = searched(limit, start, 2);
      assert.ok(found <= limit && found * 1.08 > limit - 1e-9, `found ${found} of ${limit} from ${start}`);
    }
  }
});

test('a rate that fails once is tried again, and counts when it passes then', () => {
  const search = new RateSearch(40, 2);
  search.take('failed');
  assert.equal(search.next, 40);
  search.take('passed');
  assert.equal(search.next, 80);
});

test('a rate that others disturb is tried until it says something, but not for ever', () => {
  const search = new RateSearch(40, 2);
  for (const trial of ['disturbed', 'disturbed', 'failed', 'disturbed'] as const) {
    search.take(trial);
    assert.equal(search.next, 40);
  }
  search.take('disturbed');
  assert.equal(search.next, 20);
});

test('a search in which nothing passes ends, and has found nothing', () => {
  const { found, tried } = searched(0, 40, 2);
  assert.equal(found, 0);
  assert.deepEqual([...new Set(tried)], [40, 20, 10, 5, 2.5, 1.25]);
});

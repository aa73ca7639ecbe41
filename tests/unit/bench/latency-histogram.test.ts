import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatencyHistogram, RecentLatencies } from '../../../bench/load/latency-histogram.ts';
import { percentile } from '../../../bench/statistics.ts';

test('a percentile is at most a twenty-fifth above the one of the times themselves, and never below it', () => {
  const times = Float64Array.from({ length: 10_000 }, (_, index) => 0.1 * 1.001 ** index).sort();
  const histogram = new LatencyHistogram();
  for (const ms of times) histogram.add(ms);
  for (const share of [0.01, 0.5, 0.9, 0.99, 0.999, 1]) {
    const [really, told] = [percentile(times, share), histogram.percentile(share)!];
    assert.ok(told >= really * 0.999_999 && told <= really * 1.041, `${share}: ${told} for ${really}`);
  }
  assert.equal(histogram.percentile(1), histogram.maxMs);
  assert.equal(new LatencyHistogram().percentile(0.99), undefined);
});

test('a value older than the window leaves the window and stays in the total', () => {
  const latencies = new RecentLatencies(3);
  latencies.add(500);
  latencies.nextSecond();
  latencies.add(1);
  assert.equal(latencies.recent().maxMs, 500);
  latencies.nextSecond();
  latencies.nextSecond();
  assert.equal(latencies.recent().maxMs, 1);
  assert.equal(latencies.recent().count, 1);
  assert.equal(latencies.total.count, 2);
});

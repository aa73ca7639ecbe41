import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from '../../../engine/runtime/metrics/histogram.ts';
import { MetricSet } from '../../../engine/runtime/metrics/metric-set.ts';
import { createMetricsAccess } from '../../../engine/runtime/metrics/metrics-access.ts';

const TOKEN = 'a-token-for-prometheus';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

for (const [token, remoteAddress, headers, isAllowed] of [
  [undefined, '127.0.0.1', {}, true],
  [undefined, '127.8.9.1', {}, true],
  [undefined, '::1', {}, true],
  [undefined, '::ffff:127.0.0.1', {}, true],
  [undefined, '10.0.0.7', {}, false],
  [undefined, '::ffff:10.0.0.7', {}, false],
  [undefined, '128.0.0.1', {}, false],
  [undefined, '', {}, false],
  [undefined, '10.0.0.7', bearer(TOKEN), false],
  [undefined, '127.0.0.1', { 'x-forwarded-for': '203.0.113.9' }, false],
  [undefined, '127.0.0.1', { 'x-forwarded-for': '' }, false],
  [undefined, '127.0.0.1', { forwarded: 'for=203.0.113.9' }, false],
  [undefined, '127.0.0.1', { 'x-real-ip': '203.0.113.9' }, false],
  [TOKEN, '127.0.0.1', {}, false],
  [TOKEN, '127.0.0.1', bearer(`${TOKEN}x`), false],
  [TOKEN, '127.0.0.1', bearer(TOKEN.slice(1)), false],
  [TOKEN, '127.0.0.1', { authorization: TOKEN }, false],
  [TOKEN, '127.0.0.1', { authorization: `Basic ${TOKEN}` }, false],
  [TOKEN, '10.0.0.7', bearer(TOKEN), true],
  [TOKEN, '10.0.0.7', { authorization: `bearer  ${TOKEN}` }, true],
  [TOKEN, '127.0.0.1', { ...bearer(TOKEN), 'x-forwarded-for': '203.0.113.9' }, true],
] as const) {
  const caller = `${remoteAddress || 'an unknown address'} with ${JSON.stringify(headers)}`;
  test(`${token ? 'with' : 'without'} a token, ${caller} ${isAllowed ? 'reads' : 'does not read'} metrics`, () => {
    const given: Readonly<Record<string, string>> = headers;
    const mayRead = createMetricsAccess(token);
    assert.equal(mayRead({ remoteAddress, header: (name) => given[name] }), isAllowed);
  });
}

test('a histogram counts a value at a bound under it, and shows sums of buckets', async () => {
  const histogram = new Histogram([0.1, 1]);
  for (const value of [0, 0.1, 0.5, 1, 7]) histogram.observe(value);
  const metrics = new MetricSet();
  metrics.histograms('dispatch_test_seconds', 'Seconds of a test.', () => [[{ kind: 'a "quoted"\nkind' }, histogram]]);
  const shown = (await metrics.text()).split('\n').filter((line) => line.includes('dispatch_test_seconds'));
  const labels = 'kind="a \\"quoted\\"\\nkind"';
  assert.deepEqual(shown, [
    '# HELP dispatch_test_seconds Seconds of a test.',
    '# TYPE dispatch_test_seconds histogram',
    `dispatch_test_seconds_bucket{${labels},le="0.1"} 2`,
    `dispatch_test_seconds_bucket{${labels},le="1"} 4`,
    `dispatch_test_seconds_bucket{${labels},le="+Inf"} 5`,
    `dispatch_test_seconds_sum{${labels}} 8.6`,
    `dispatch_test_seconds_count{${labels}} 5`,
  ]);
});

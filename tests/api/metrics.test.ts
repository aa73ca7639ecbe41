import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../schema/limits.ts';
import { taskInput } from '../support/api-client.ts';
import { type EventStreamClient, openEventStream } from '../support/event-stream.ts';
import { readMetrics, sampleOf } from '../support/metrics.ts';
import { startTestGateway } from '../support/system/gateway.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { useGateway } from './api-fixture.ts';

/** The metrics of a gateway, and who may read them (docs/contract.md §8 "For the operator"). */

const fixture = useGateway({ own: 'it reads the figures of the whole gateway', organization: { role: 'dispatcher' } });
const metrics = () => readMetrics(`${fixture.gateway.baseUrl}/metrics`);
const TASKS = 'method="POST",route="/tasks"';

/** Runs `act`, then waits until each sample has moved by so much, and no further. */
async function moves(act: () => Promise<unknown>, expected: Readonly<Record<string, number>>): Promise<void> {
  const before = await metrics();
  await act();
  let moved: Record<string, number> = {};
  // A series of a status appears with its first request.
  const figureOf = (text: string, sample: string) => (text.includes(`${sample} `) ? sampleOf(text, sample) : 0);
  await until('the figures have moved', async () => {
    const now = await metrics();
    moved = Object.fromEntries(
      Object.keys(expected).map((sample) => [sample, figureOf(now, sample) - figureOf(before, sample)]),
    );
    return Object.entries(expected).every(([sample, by]) => moved[sample]! >= by);
  });
  assert.deepEqual(moved, expected);
}

const requests = (labels: string) => `dispatch_http_requests_total{${labels}}`;

test('a create is counted and timed by route and status, as a commit and as an event', async () => {
  await moves(() => fixture.api.createTask(), {
    [requests(`${TASKS},status="201"`)]: 1,
    [`dispatch_http_request_duration_seconds_count{${TASKS}}`]: 1,
    [`dispatch_http_request_duration_seconds_bucket{${TASKS},le="+Inf"}`]: 1,
    'dispatch_commits_total{result="committed"}': 1,
    dispatch_commit_duration_seconds_count: 1,
    dispatch_commit_organizations_sum: 1,
    'dispatch_events_total{type="task.created"}': 1,
    'dispatch_events_total{type="task.updated"}': 0,
  });
  const text = await metrics();
  const seconds = sampleOf(text, `dispatch_http_request_duration_seconds_sum{${TASKS}}`);
  assert.ok(seconds > 0 && seconds < 60, `${seconds} s`);
  assert.ok(sampleOf(text, 'dispatch_commit_rows_sum') >= 3, 'a task with its customer and place');
  assert.equal(sampleOf(text, 'dispatch_commits_in_flight'), 0);
  assert.equal(sampleOf(text, 'dispatch_shards_owned'), 256);
  assert.ok(!text.includes(fixture.gateway.key));
});

for (const [what, path, headers, body, expected] of [
  ['without a key', '/api/v1/tasks', { 'x-api-key': undefined }, '{}', { [requests(`${TASKS},status="401"`)]: 1 }],
  ['that is not valid', '/api/v1/tasks', {}, '{}', { [requests(`${TASKS},status="400"`)]: 1 }],
  ['on a path without the prefix', '/tasks', {}, '{}', { [requests('method="none",route="none",status="404"')]: 1 }],
  [
    'with too large a body',
    '/api/v1/tasks',
    {},
    'x'.repeat(2_097_152),
    { 'dispatch_http_refusals_total{reason="body_too_large"}': 1, [requests(`${TASKS},status="413"`)]: 1 },
  ],
  [
    'with too long an address',
    `/api/v1/tasks?${'x'.repeat(20_000)}`,
    {},
    '{}',
    { 'dispatch_http_refusals_total{reason="url_too_long"}': 1, [requests(`${TASKS},status="414"`)]: 0 },
  ],
] as const) {
  test(`a request ${what} is counted as refused, and commits nothing`, async () => {
    const given = { 'x-api-key': fixture.gateway.key, 'content-type': 'application/json', ...headers };
    const refused = { ...expected, dispatch_commit_duration_seconds_count: 0 };
    await moves(() => fixture.api.raw({ method: 'POST', path, headers: given, body }), refused);
  });
}

test('a payment in cash is counted as an event of its kind', async () => {
  const task = await fixture.api.createTask();
  const pay = async () => {
    const { status, text } = await fixture.api.post('/payments/cash', { taskId: task.id, amount: '5.00' });
    assert.equal(status, 201, text);
  };
  await moves(pay, { 'dispatch_events_total{type="payment.succeeded"}': 1 });
});

const open: (EventStreamClient | Socket)[] = [];
after(() => {
  for (const each of open) 'destroy' in each ? each.destroy() : each.close();
});

test('streams are counted as they open, resume and resynchronize', async () => {
  const { gateway, api } = fixture;
  const { position } = (await api.list()).body.metadata;
  const watch = async (lastEventId: string) => {
    const stream = await openEventStream(gateway.baseUrl, { ...gateway, lastEventId });
    open.push(stream);
    await stream.next();
  };
  const opened = 'dispatch_streams_opened_total';
  const resumed = 'dispatch_streams_resumed_total';
  const resynced = 'dispatch_streams_resynced_total{reason="history_changed"}';
  await moves(() => watch(''), { [opened]: 1, dispatch_streams: 1, [resumed]: 0, [resynced]: 0 });
  await moves(() => watch(position), { [opened]: 1, dispatch_streams: 1, [resumed]: 1, [resynced]: 0 });
  await moves(() => watch('another-1'), { [opened]: 1, dispatch_streams: 1, [resumed]: 0, [resynced]: 1 });
});

test('a stream whose client reads nothing is counted as cut off', async () => {
  const { gateway, api } = fixture;
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  open.push(socket);
  // It is reset in the end.
  socket.on('error', () => {});
  socket.write(`GET /api/v1/realtime/me/events HTTP/1.1\r\nhost: test\r\nx-api-key: ${gateway.key}\r\n\r\n`);
  await once(socket, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) });
  socket.pause();
  const long = 'x'.repeat(10_000);
  const tasks = Array.from({ length: 200 }, () => taskInput({ notes: long, description: long }));
  const flood = async () => {
    for (let index = 0; index < 4; index += 1) assert.equal((await api.post('/tasks/batch', { tasks })).status, 200);
  };
  const cutOff = async () => sampleOf(await metrics(), 'dispatch_streams_cut_off_total');
  const before = await cutOff();
  // The kernel takes some megabytes on behalf of the client, and on some machines more than one flood.
  await until('the stream is cut off', async () => {
    await flood();
    await delay(LIMITS.streamStallMs + 2 * LIMITS.requestScanMs);
    return (await cutOff()) > before;
  });
  assert.equal(await cutOff(), before + 1);
});

test('without METRICS_TOKEN a caller on this machine reads metrics, and one behind a proxy finds no such path', async () => {
  const answerTo = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(`${fixture.gateway.baseUrl}${path}`, { headers });
    return [response.status, (await response.text()).replace(/"requestId":"[^"]*"/, '').replaceAll(path, '')];
  };
  const unknown = await answerTo('/metrix', {});
  assert.equal(unknown[0], 404);
  for (const name of ['x-forwarded-for', 'forwarded', 'x-forwarded-proto', 'x-real-ip', 'via'])
    assert.deepEqual(await answerTo('/metrics', { [name]: '203.0.113.9' }), unknown, name);
  assert.equal((await answerTo('/metrics', {}))[0], 200);
});

test('with METRICS_TOKEN its bearer alone reads metrics, behind a proxy too', async () => {
  const token = 'a-token-for-prometheus';
  const gateway = await startTestGateway({ environment: { METRICS_TOKEN: token } });
  try {
    const statusFor = async (headers: Record<string, string>) =>
      (await fetch(`${gateway.baseUrl}/metrics`, { headers })).status;
    const bearer = { authorization: `Bearer ${token}` };
    assert.deepEqual(
      [
        await statusFor({}),
        await statusFor({ authorization: `Bearer ${token}x` }),
        await statusFor({ authorization: `Basic ${token}` }),
        await statusFor({ 'x-api-key': gateway.key }),
        await statusFor(bearer),
        await statusFor({ ...bearer, 'x-forwarded-for': '203.0.113.9' }),
      ],
      [404, 404, 404, 404, 200, 200],
    );
  } finally {
    await gateway.stop();
  }
});

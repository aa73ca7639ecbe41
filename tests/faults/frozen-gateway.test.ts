import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createApiClient, taskInput } from '../support/api-client.ts';
import { createTestPlace, startTestGateway } from '../support/system/gateway.ts';
import { until } from '../support/until.ts';

/** A frozen gateway keeps its connections open and sends nothing: only silence tells. The client is the guide's own. */

const GUIDE = 'docs/guides/streams.md';
/** After two of these and 5 s without a byte, a client goes elsewhere. */
const HEARTBEAT_MS = 1_000;
const RECONNECT_AFTER_MS = 7_000;
/** Long enough that a machine that stands still for a moment loses no shard. */
const LEASE_MS = 6_000;

/** The program of the guide. */
function programOfGuide(): string {
  const [, program] = /^```js\n(\/\/ follow\.mjs.*?)^```$/ms.exec(readFileSync(GUIDE, 'utf8'))!;
  return program!;
}

interface Message {
  readonly type: string;
  readonly atMs: number;
  /** Given for an event of the log. */
  readonly sequence?: number;
  /** Given for `stream.ready`. */
  readonly reconnectAfterMs?: number;
}

interface Follower {
  readonly seen: Message[];
  readonly complaints: string[];
  readonly sequences: number[];
  stop(): Promise<void>;
}

function follow(environment: Readonly<Record<string, string>>): Follower {
  const folder = mkdtempSync(join(tmpdir(), 'follow-'));
  writeFileSync(join(folder, 'follow.mjs'), programOfGuide());
  const env = { PATH: process.env['PATH'], ...environment };
  const child: ChildProcess = spawn(process.execPath, [join(folder, 'follow.mjs')], { env, stdio: 'pipe' });
  const seen: Follower['seen'] = [];
  const complaints: string[] = [];
  createInterface(child.stdout!).on('line', (line) => {
    const [, type, json] = /^(\S+) (\{.*\})$/.exec(line)!;
    const { sequence, reconnectAfterMs } = JSON.parse(json!) as Message;
    seen.push({
      type: type!,
      atMs: performance.now(),
      ...(sequence && { sequence }),
      ...(reconnectAfterMs && { reconnectAfterMs }),
    });
  });
  createInterface(child.stderr!).on('line', (line) => complaints.push(line));
  return {
    seen,
    complaints,
    get sequences() {
      return seen.flatMap(({ sequence }) => sequence ?? []);
    },
    async stop() {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGKILL')) await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

test('a client that follows the guide leaves a frozen gateway for another one, and misses nothing', async () => {
  const place = await createTestPlace();
  const start = (id: string) =>
    startTestGateway({
      place,
      process: true,
      environment: { GATEWAY_ID: id, HEARTBEAT_MS: `${HEARTBEAT_MS}`, LEASE_MS: `${LEASE_MS}` },
    });
  const a = await start('a');
  const b = await start('b');
  const [apiOfA, apiOfB] = [createApiClient(a), createApiClient(b)];
  const follower = follow({
    KEY: place.key,
    ORGANIZATION: `${place.organizationId}`,
    GATEWAYS: `${a.baseUrl},${b.baseUrl}`,
  });
  try {
    await until('it follows A', () => follower.seen.length === 1);
    for (let made = 0; made < 10; made++) await apiOfA.createTask();
    await until('it has the events of A', () => follower.sequences.length === 10);

    // Acknowledged, and perhaps not on the stream yet.
    await Promise.all(Array.from({ length: 10 }, () => apiOfA.createTask()));
    process.kill(a.pid!, 'SIGSTOP');
    const frozenAtMs = performance.now();
    await until('B goes on', async () => (await apiOfB.post('/tasks', taskInput())).status === 201);
    for (let made = 0; made < 10; made++) await apiOfB.createTask();
    const { body } = await apiOfB.get<{ items: { sequence: number }[] }>('/events?limit=1000');
    const all = body.data.items.map(({ sequence }) => sequence);
    assert.ok(all.length >= 31, `${all.length} events`);
    await until('it has the events of both', () => follower.sequences.length >= all.length);

    assert.deepEqual(follower.sequences, all, 'each once, in order');
    assert.ok(follower.complaints.includes(`${a.baseUrl} fell silent`), follower.complaints.join());
    const again = follower.seen.findLast(({ type }) => type === 'stream.ready')!;
    assert.equal(again.reconnectAfterMs, RECONNECT_AFTER_MS);
    const elapsedMs = again.atMs - frozenAtMs;
    assert.ok(elapsedMs > RECONNECT_AFTER_MS - 2 * HEARTBEAT_MS, `it went on after ${Math.round(elapsedMs)} ms`);
    assert.ok(!follower.seen.some(({ type }) => type === 'stream.resync'));
    await apiOfB.createTask();
    await until('it follows B', () => follower.sequences.length === all.length + 1);
  } finally {
    process.kill(a.pid!, 'SIGCONT');
    await follower.stop();
    apiOfA.close();
    apiOfB.close();
    await Promise.all([a.stop(), b.stop()]);
    await place.drop();
  }
});

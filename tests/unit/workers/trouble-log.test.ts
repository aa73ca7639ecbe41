import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Redis } from '../../../engine/store/redis.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createTroubleLog } from '../../../workers/trouble-log.ts';

test('an error of a queue is logged at most once a minute, with its stack once, and those between are counted', () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  let now = 0;
  const redis = { status: 'ready' };
  const clock = { now: () => now, monotonic: () => now };
  const tell = createTroubleLog(redis as Redis, '{activity}', clock, log);
  for (let second = 0; second < 180; second++) {
    tell(new Error('OOM'));
    now += 1_000;
  }
  tell(new Error('something else'));
  const told = lines.map(({ queue, err, reason, leftOut }) => [
    queue,
    (err as Error)?.message ?? reason,
    !!err,
    leftOut,
  ]);
  assert.equal(LIMITS.queueTroubleMs, 60_000);
  assert.deepEqual(told, [
    ['{activity}', 'OOM', true, 0],
    ['{activity}', 'OOM', false, 59],
    ['{activity}', 'OOM', false, 59],
    ['{activity}', 'something else', true, 59],
  ]);
  now += LIMITS.queueTroubleMs;
  tell(new Error('Connection is closed.'));
  tell(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
  redis.status = 'reconnecting';
  tell(new Error('OOM'));
  assert.equal(lines.length, 4, 'the connection itself logs that it is away');
});

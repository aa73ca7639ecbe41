import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Identity } from '../../../../gateway/route.ts';
import { LastingReplies } from '../../../../gateway/sse/lasting-replies.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createHandClock } from '../guards/hand-clock.ts';

function identityUntil(sessionEndsAtMs: number): Identity {
  return {
    organizationId: 1,
    role: 'dispatcher',
    caller: { type: 'user', id: 3, channelId: 2, role: 'dispatcher', agentId: null, userId: 3 },
    sessionId: 4,
    sessionEndsAtMs,
    credentialHash: '',
    rateLimit: null,
    locationsWrite: false,
  };
}

test('a reply ends at the moment its session does, a month later too, and one that was released is left alone', async () => {
  const { clock, scheduler, advance } = createHandClock();
  const longest: number[] = [];
  const after: typeof scheduler.after = (delayMs, task) => {
    longest.push(delayMs);
    return scheduler.after(delayMs, task);
  };
  const replies = new LastingReplies({ access: { onChanges: () => {} }, clock, scheduler: { ...scheduler, after } });
  const ended: string[] = [];
  const endsAtMs = clock.now() + LIMITS.refreshTokenMs;
  replies.hold(identityUntil(endsAtMs), () => ended.push('month'));
  const release = replies.hold(identityUntil(endsAtMs), () => ended.push('released'));
  replies.hold(identityUntil(Number.POSITIVE_INFINITY), () => ended.push('key'));
  replies.hold(identityUntil(clock.now()), () => ended.push('at once'));
  assert.deepEqual(ended, [], 'never before it is held');
  await advance(LIMITS.refreshTokenMs - 1);
  assert.deepEqual(ended, ['at once']);
  release();
  await advance(1);
  assert.deepEqual(ended, ['at once', 'month']);
  assert.ok(Math.max(...longest) < 2 ** 31, 'a longer timer of Node fires at once');
});

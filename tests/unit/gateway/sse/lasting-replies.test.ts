import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeardChanges } from '../../../../gateway/guards/changed-subjects.ts';
import type { Identity } from '../../../../gateway/route.ts';
import { LastingReplies } from '../../../../gateway/sse/lasting-replies.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createHandClock } from '../guards/hand-clock.ts';

function identityUntil(sessionEndsAtMs: number, sessionId: number | null = 4): Identity {
  return {
    organizationId: 1,
    role: 'dispatcher',
    caller: { type: 'user', id: 3, channelId: 2, role: 'dispatcher', agentId: null, userId: 3 },
    sessionId,
    sessionEndsAtMs,
    credentialHash: '',
    snapshot: '5:8:6',
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

/** A notice of this end closes the reply to a caller that was looked up in the snapshot 5:8:6. */
function isEndedBy(changes: HeardChanges, sessionId: number | null = 4): boolean {
  const { clock, scheduler } = createHandClock();
  let tell = (_: HeardChanges) => {};
  const replies = new LastingReplies({ access: { onChanges: (listener) => (tell = listener) }, clock, scheduler });
  let isEnded = false;
  replies.hold(identityUntil(Number.POSITIVE_INFINITY, sessionId), () => (isEnded = true));
  tell(changes);
  return isEnded;
}

for (const [subject, own] of [
  ['organization', 1],
  ['channel', 2],
  ['user', 3],
  ['session', 4],
] as const) {
  test(`a change of its ${subject} ends a reply, unless its caller was looked up after it`, () => {
    const change = (xid: string, subjectId: number = own) => ({ subject, subjectId, xid });
    assert.equal(isEndedBy([change('7')]), false, 'looked up after it');
    assert.equal(isEndedBy([change('6')]), true, 'it was not committed yet');
    assert.equal(isEndedBy([change('8')]), true, 'it began later');
    assert.equal(isEndedBy([change('8', 99)]), false, 'of another');
    assert.equal(isEndedBy([change('4'), change('6'), change('7')]), true, 'one of several');
    assert.equal(isEndedBy([change('4'), change('5'), change('7')]), false, 'none of several');
  });
}

test('a refresh ends no reply, nor does anything of a session end that of a key; what was not heard ends all', () => {
  assert.equal(isEndedBy([{ subject: 'token', subjectId: 4, xid: '9' }]), false);
  assert.equal(isEndedBy([{ subject: 'session', subjectId: 4, xid: '9' }], null), false);
  assert.equal(isEndedBy('all'), true);
});

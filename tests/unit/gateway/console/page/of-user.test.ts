import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session } from '../../../../../gateway/console/live/protocol.ts';
import { meetSession, ofUser } from '../../../../../gateway/console/page/of-user.ts';

const typed = ofUser('');
const chosen = ofUser<number | null>(null);
const LEFT: Session = { state: 'signed-out', why: 'left' };
const ENDED: Session = { state: 'signed-out', why: 'ended' };

function signedIn(user: number, organization: number | null): Session {
  const caller = { user: { id: user }, organization: organization === null ? null : { id: organization } };
  return { state: 'signed-in', caller } as unknown as Session;
}

function held(...sessions: Session[]): boolean {
  meetSession(LEFT);
  meetSession(signedIn(1, 1));
  typed.value = 'a name';
  chosen.value = 7;
  for (const session of sessions) meetSession(session);
  assert.equal(typed.value !== '', chosen.value !== null);
  return typed.value !== '';
}

test('the state of a user stays when the same one signs in again after the session has ended', () => {
  assert.ok(held(ENDED));
  assert.ok(held(ENDED, signedIn(1, 1)));
  assert.ok(held({ state: 'unknown', isCut: true, refusal: null }, signedIn(1, 1)));
});

test('no other user, and no other organization, meets the state of a user', () => {
  assert.ok(!held(ENDED, signedIn(2, 2)));
  assert.ok(!held(ENDED, signedIn(2, 1)));
  assert.ok(!held(ENDED, signedIn(1, 2)));
  assert.ok(!held(ENDED, signedIn(2, null)));
  assert.ok(!held(signedIn(2, 2)), 'without a word that the session has ended');
});

test('the state of a user goes with the sign-out', () => {
  assert.ok(!held(LEFT));
});

test('an address that is opened before anyone has signed in is for the first user', () => {
  meetSession(LEFT);
  chosen.value = 7;
  meetSession({ state: 'signed-out', why: 'never' });
  meetSession(signedIn(1, 1));
  assert.equal(chosen.value, 7);
});

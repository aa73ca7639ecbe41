import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { loginInput } from '../../../schema/accounts/session.ts';
import { newPassword } from '../../../schema/fields/new-password.ts';
import { LIMITS } from '../../../schema/limits.ts';

const LEAST = LIMITS.passwordMinChars;
const MOST = LIMITS.passwordMaxChars;

const mayBeSet = (password: string) => v.safeParse(newPassword, password).success;
const maySignIn = (password: string) => v.safeParse(loginInput, { email: 'ada@example.com', password }).success;

test('every password that can be set can be used to sign in, also one of spaces or emoji', () => {
  for (const character of ['x', ' ', '\t', '\u00a0', '\u200b', '🔑'])
    for (const chars of [LEAST, MOST]) {
      const password = character.repeat(chars);
      assert.ok(mayBeSet(password), JSON.stringify(password));
      assert.ok(maySignIn(password), JSON.stringify(password));
    }
});

test('the bounds of a new password count characters, an emoji as one', () => {
  for (const character of ['x', '🔑']) {
    assert.equal(mayBeSet(character.repeat(LEAST - 1)), false);
    assert.equal(mayBeSet(character.repeat(MOST + 1)), false);
  }
  assert.ok(mayBeSet(`${'🔑'.repeat(LEAST - 1)}x`));
});

test('a login needs a password, however short', () => {
  assert.equal(maySignIn(''), false);
  assert.equal(maySignIn('x\0'), false);
  assert.equal(maySignIn('x'.repeat(MOST + 1)), false);
  assert.ok(maySignIn('x'));
});

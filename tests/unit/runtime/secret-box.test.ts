import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig, requireSecretBox } from '../../../engine/runtime/config.ts';
import { SecretBox, UnreadableSecretError } from '../../../engine/runtime/secret-box.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PLACE = 'webhook 7 of organization 3';
const box = new SecretBox([first]);

test('a sealed secret is opened at its place, and no two are alike', () => {
  const sealed = box.seal(SECRET, PLACE);
  assert.equal(box.open(sealed, PLACE), SECRET);
  assert.notEqual(box.seal(SECRET, PLACE), sealed);
  assert.equal(sealed.split('.')[1], box.keyId);
  assert.ok(!sealed.includes(SECRET.slice(6, 16)));
});

test('a sealed secret is refused at another place, changed in any character, and under another key', () => {
  const sealed = box.seal(SECRET, PLACE);
  for (const place of [
    'webhook 8 of organization 3',
    'webhook 7 of organization 4',
    'webhook 7 of organization 31',
    '',
  ])
    assert.throws(() => box.open(sealed, place), /was changed, or belongs to another record/);
  const start = sealed.lastIndexOf('.') + 1;
  for (let at = start; at < sealed.length - 1; at++) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    assert.throws(() => box.open(changed, PLACE), UnreadableSecretError, `the character at ${at}`);
  }
  const other = new SecretBox([second]);
  assert.throws(() => other.open(sealed, PLACE), new RegExp(`needs the key ${box.keyId}, which SECRETS_KEY lacks`));
  for (const noForm of ['', SECRET, 'v2.0123456789abcdef.AAAA', `${sealed.slice(0, start)}AAAA`])
    assert.throws(() => box.open(noForm, PLACE), /has no form that is known/);
});

test('the first key encrypts, and each one decrypts', () => {
  const both = new SecretBox([second, first]);
  assert.equal(both.open(box.seal(SECRET, PLACE), PLACE), SECRET);
  assert.equal(both.keyId, new SecretBox([second]).keyId);
  assert.throws(() => box.open(both.seal(SECRET, PLACE), PLACE), UnreadableSecretError);
  assert.deepEqual(both.keyIds, [both.keyId, box.keyId]);
});

test('SECRETS_KEY is one key or several, each of 32 bytes in base64, and its value stays out of messages', () => {
  const keys = [first, second].map((key) => key.toString('base64'));
  assert.deepEqual(readConfig({ SECRETS_KEY: ` ${keys.join(' , ')} ` }).secretsKeys, [first, second]);
  for (const wrong of [keys[0]!.slice(4), `${keys[0]},short`, `${keys[0]}=`, first.toString('hex'), 'a passphrase']) {
    const refuses = (error: unknown) =>
      error instanceof ConfigError &&
      /SECRETS_KEY: must be 32 bytes in base64/.test(error.message) &&
      !error.message.includes(wrong);
    assert.throws(() => readConfig({ SECRETS_KEY: wrong }), refuses, wrong);
  }
});

test('without SECRETS_KEY the message says what it is for and how to make one', () => {
  assert.throws(
    () => requireSecretBox(readConfig({})),
    (error) =>
      error instanceof ConfigError &&
      /every gateway and worker/.test(error.message) &&
      /randomBytes\(32\)/.test(error.message),
  );
});

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { isSigned, signCallback } from '../../../../engine/domain/outbound/callback-signature.ts';

const NOW = 1_700_000_000_999;
const SECONDS = 1_700_000_000;
const secret = 'shared';
const body = Buffer.from('{"name":"Ünïcödé"}');
const signedAt = (timestampSeconds: number) => signCallback({ timestampSeconds, body, secret });

test('a signature is the HMAC of the time and the bytes', () => {
  const digest = createHmac('sha256', secret).update(`${SECONDS}.{"name":"Ünïcödé"}`).digest('hex');
  assert.equal(signedAt(SECONDS), `t=${SECONDS},v1=${digest}`);
});

for (const [seconds, isAccepted] of [
  [0, true],
  [299, true],
  [300, true],
  [301, false],
] as const) {
  test(`${seconds} s from now, either way, is ${isAccepted ? 'near enough' : 'too far'}`, () => {
    assert.equal(isSigned(signedAt(SECONDS - seconds), { body, secret }, NOW), isAccepted, 'ago');
    assert.equal(isSigned(signedAt(SECONDS + seconds), { body, secret }, NOW), isAccepted, 'to come');
  });
}

const good = signedAt(SECONDS);
for (const [what, header, signed = { body, secret }] of [
  ['nothing', ''],
  ['no signature', `t=${SECONDS}`],
  ['no time', good.replace(/^t=\d+,/, '')],
  ['another time', good.replace(`t=${SECONDS}`, `t=${SECONDS + 1}`)],
  ['a time that is none', good.replace(`t=${SECONDS}`, 't=1e9')],
  ['a second time', `${good},t=${SECONDS + 1}`],
  ['a signature cut short', good.slice(0, -2)],
  ['a signature in capital letters', good.toUpperCase()],
  ['a signature of another scheme', good.replace('v1=', 'v0=')],
  ['another body', good, { body: Buffer.from('{}'), secret }],
  ['another secret', good, { body, secret: 'other' }],
] as const) {
  test(`${what} is refused`, () => {
    assert.equal(isSigned(header, signed, NOW), false);
  });
}

test('the whole of it is accepted', () => {
  assert.equal(isSigned(good, { body, secret }, NOW), true);
});

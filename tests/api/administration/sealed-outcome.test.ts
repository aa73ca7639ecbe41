import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  openOutcome,
  placeOf,
  sealedFingerprint,
  sealOutcome,
} from '../../../gateway/administration/sealed-outcome.ts';
import { notFound } from '../../../schema/errors.ts';
import { idempotencyKey } from '../../../schema/fields/idempotency-key.ts';

const request = idempotencyKey('channel:7 POST /v1/channels', 'retry-1', 'of the body');
const answer = { status: 201, message: 'Channel created', data: '{"apiKey":"dk_live_secret"}' };

test('an outcome comes back whole, an answer as well as a refusal', () => {
  for (const outcome of [answer, { refusal: notFound('User', 7) }])
    assert.deepEqual(openOutcome(request, sealOutcome(request, outcome)), outcome);
});

test('an outcome is sealed differently each time, reveals nothing, and opens under its own key alone', () => {
  const [one, other] = [sealOutcome(request, answer), sealOutcome(request, answer)];
  assert.notDeepEqual(one, other);
  assert.ok(!one.includes('dk_live_secret'));
  assert.throws(() => openOutcome({ ...request, key: 'retry-2' }, one));
});

test('it does not open once any part of it was changed', () => {
  const sealed = sealOutcome(request, answer);
  for (let at = 0; at < sealed.length; at += 7) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    assert.throws(() => openOutcome(request, changed), `byte ${at}`);
  }
});

test('every scope and every key has a place of its own, short and without the text of the key', () => {
  const long = { ...request, scope: `channel:7 POST /v1/channels?${'x'.repeat(4_000)}` };
  const places = [request, { ...request, key: 'retry-2' }, { ...request, scope: 'channel:8' }, long].map(placeOf);
  assert.equal(new Set(places.map(({ keyHash }) => keyHash)).size, places.length);
  for (const { scope, keyHash } of places) {
    assert.ok(scope.length <= 255);
    assert.ok(!`${scope}${keyHash}`.includes('retry'));
  }
});

test('the same payload has the same fingerprint under one key, and another one under another key', () => {
  const print = sealedFingerprint(request);
  assert.equal(sealedFingerprint({ ...request, scope: 'other' }), print);
  assert.notEqual(sealedFingerprint({ ...request, fingerprint: 'of another body' }), print);
  assert.notEqual(sealedFingerprint({ ...request, key: 'retry-2' }), print);
});

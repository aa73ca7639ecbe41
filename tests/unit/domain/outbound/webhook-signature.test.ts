import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { newWebhookSecret, signDelivery } from '../../../../engine/domain/outbound/webhook-signature.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';

const random = createRandomSource();
const current = newWebhookSecret(random);
const previous = newWebhookSecret(random);
const other = newWebhookSecret(random);
const body = '{"id":"evt_h_1_a","data":{"name":"Ünïcödé 🚚"}}';

function headersAt(secondsFromNow: number, secrets: readonly string[]): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1_000) + secondsFromNow;
  return {
    'webhook-id': 'evt_h_1_a',
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signDelivery({ id: 'evt_h_1_a', timestampSeconds, body, secrets }),
  };
}

test('a secret is whsec_ and 32 bytes in base64, another one each time', () => {
  assert.match(current, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(Buffer.from(current.slice(6), 'base64').length, 32);
  assert.equal(new Set(Array.from({ length: 100 }, () => newWebhookSecret(random))).size, 100);
});

test('the signature is that of the example in the specification’s reference implementations', () => {
  const signature = signDelivery({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });
  assert.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('bytes are signed like the text that they encode', () => {
  const delivery = { id: 'evt', timestampSeconds: 1, secrets: [current] };
  assert.equal(signDelivery({ ...delivery, body: Buffer.from(body) }), signDelivery({ ...delivery, body }));
});

test('while two secrets sign, a holder of either one verifies, and no other secret does', () => {
  const headers = headersAt(0, [current, previous]);
  assert.match(headers['webhook-signature']!, /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(new Webhook(current).verify(body, headers), JSON.parse(body));
  assert.deepEqual(new Webhook(previous).verify(body, headers), JSON.parse(body));
  assert.throws(() => new Webhook(other).verify(body, headers), /No matching signature/);
  assert.throws(() => new Webhook(previous).verify(body, headersAt(0, [current])), /No matching signature/);
});

const signed = headersAt(0, [current]);
for (const [what, headers, told] of [
  ['another body', signed, body.replace('evt', 'evd')],
  ['a body with a space more', signed, `${body} `],
  ['another id', { ...signed, 'webhook-id': 'evt_h_1_b' }, body],
  ['another time', { ...signed, 'webhook-timestamp': String(Number(signed['webhook-timestamp']) + 1) }, body],
  ['no signature', { ...signed, 'webhook-signature': '' }, body],
  ['a signature cut short', { ...signed, 'webhook-signature': signed['webhook-signature']!.slice(0, -4) }, body],
  [
    'a signature of another version',
    { ...signed, 'webhook-signature': signed['webhook-signature']!.replace('v1', 'v2') },
    body,
  ],
] as const) {
  test(`the independent verifier refuses ${what}`, () => {
    assert.throws(() => new Webhook(current).verify(told, headers), WebhookVerificationError);
  });
}

for (const [seconds, isTaken] of [
  [-305, false],
  [-290, true],
  [290, true],
  [310, false],
] as const) {
  test(`the independent verifier ${isTaken ? 'takes' : 'refuses'} what was signed ${seconds} s from now`, () => {
    const verify = () => new Webhook(current).verify(body, headersAt(seconds, [current]));
    if (isTaken) assert.deepEqual(verify(), JSON.parse(body));
    else assert.throws(verify, /timestamp/i);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { findSubscription } from '../../../schema/notices/push-subscription.ts';
import { createBrowserKeys } from '../../support/services/push-message.ts';

const { key, auth } = createBrowserKeys();
const keys = { p256dh: key.getPublicKey('base64url'), auth: auth.toString('base64url') };
const endpoint = 'https://push.example.com/wpush/v2/abc?x=1';
const read = (subscription: object) => findSubscription(JSON.stringify(subscription));

test('a subscription as browsers write it is read, its keys with padding or without', () => {
  assert.deepEqual(read({ endpoint, expirationTime: null, keys }), { endpoint, keys });
  const padded = { p256dh: `${keys.p256dh}=`, auth: `${keys.auth}==` };
  assert.deepEqual(read({ endpoint, keys: padded }), { endpoint, keys: padded });
});

for (const wrong of [
  'http://push.example.com/',
  'ftp://push.example.com/',
  'https://user:password@push.example.com/',
  'https://push.example.com/#a',
  'https://push.example.com/a b',
  ' https://push.example.com/',
  'https://push.example.com/\n',
  'https://',
  'push.example.com',
  `https://push.example.com/${'x'.repeat(LIMITS.pushEndpointChars)}`,
  1,
  null,
]) {
  test(`an endpoint of ${JSON.stringify(wrong).slice(0, 60)} is refused`, () => {
    assert.equal(read({ endpoint: wrong, keys }), undefined);
  });
}

for (const [name, p256dh] of [
  ['a point that is not on the curve', Buffer.alloc(65, 4).toString('base64url')],
  ['a point in its short form', key.getPublicKey('base64url', 'compressed')],
  ['other base64', `${keys.p256dh.slice(0, -1)}+`],
  ['nothing', ''],
] as const) {
  test(`${name} is no key of a browser`, () => assert.equal(read({ endpoint, keys: { ...keys, p256dh } }), undefined));
}

test('a secret of other than 16 bytes is refused', () => {
  for (const bytes of [0, 15, 17]) {
    const secret = Buffer.alloc(bytes, 7).toString('base64url');
    assert.equal(read({ endpoint, keys: { ...keys, auth: secret } }), undefined, `${bytes}`);
  }
});

test('a text that is not JSON, or no object, is no subscription', () => {
  for (const text of ['', '{', 'null', '[]', '"x"', '{"endpoint":{}}', 'fcm-token:APA91b'])
    assert.equal(findSubscription(text), undefined, text);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { HOSTILE_TEXTS } from '../../support/seeds/hostile-texts.ts';
import { useGateway } from '../api-fixture.ts';
import { newToken, type SignedIn, signIn, storedDevices, subscription } from './notification-place.ts';

const fixture = useGateway();

const devicesOf = async ({ userId }: SignedIn) =>
  (await storedDevices(fixture)).filter((device) => device.userId === userId);

test('a device is registered with 201, and its token is never told', async () => {
  const user = await signIn(fixture);
  const token = newToken();
  const { status, body, text } = await user.register({ token, platform: 'ios', deviceId: 'A1' });
  assert.equal(status, 201);
  assert.deepEqual([body.data.deviceId, body.data.platform], ['A1', 'ios']);
  assert.ok(!Number.isNaN(Date.parse(body.data.registeredAt)));
  assert.ok(!text.includes(token));
  assert.deepEqual(await devicesOf(user), [{ userId: user.userId, deviceId: 'A1', platform: 'ios', token }]);
});

test('a device that is registered again has the new token alone, and stays the same device', async () => {
  const user = await signIn(fixture);
  await user.register({ token: newToken() });
  const token = newToken();
  assert.equal((await user.register({ token, platform: 'ios' })).status, 201);
  assert.equal((await user.register({ token, platform: 'ios' })).status, 201);
  assert.deepEqual(await devicesOf(user), [{ userId: user.userId, deviceId: 'phone', platform: 'ios', token }]);
});

test('a token belongs to one device: it leaves the other one, whosever that is', async () => {
  const first = await signIn(fixture);
  const second = await signIn(fixture);
  const stranger = await signIn(fixture, 'dispatcher', (await fixture.organization()).organizationId);
  const token = newToken();
  await first.register({ token, deviceId: 'old name' });
  for (const user of [first, second, stranger]) {
    assert.equal((await user.register({ token })).status, 201);
    const holders = (await storedDevices(fixture)).filter((device) => device.token === token);
    assert.deepEqual(holders, [{ userId: user.userId, deviceId: 'phone', platform: 'android', token }]);
  }
});

test('of many who register one token at the same time one has it in the end', async () => {
  const others = await Promise.all(Array.from({ length: 3 }, () => fixture.organization()));
  const users = await Promise.all(others.map(({ organizationId }) => signIn(fixture, 'dispatcher', organizationId)));
  for (let round = 0; round < 10; round++) {
    const token = newToken();
    const replies = await Promise.all(users.map((user) => user.register({ token })));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
    assert.equal((await storedDevices(fixture)).filter((device) => device.token === token).length, 1);
  }
});

test('a user has so many devices and no more: the one registered longest ago makes room', async () => {
  const user = await signIn(fixture);
  for (let i = 0; i <= LIMITS.devicesPerUser; i++) await user.register({ deviceId: `d${i}`, token: newToken() });
  const kept = (await devicesOf(user)).map(({ deviceId }) => deviceId);
  assert.deepEqual(
    kept,
    Array.from({ length: LIMITS.devicesPerUser }, (_, i) => `d${i + 1}`),
  );
});

test('a device is forgotten by its user alone, once', async () => {
  const user = await signIn(fixture);
  const other = await signIn(fixture);
  for (const deviceId of ['Olga’s phone/2 100%', ...Object.values(HOSTILE_TEXTS).slice(0, 6)]) {
    const known = [...deviceId].slice(0, LIMITS.deviceIdChars).join('');
    await user.register({ deviceId: known, token: newToken() });
    assert.equal((await other.forget(known)).status, 404, known);
    assert.equal((await user.forget(known)).status, 200, known);
    assert.equal((await user.forget(known)).status, 404, known);
  }
  assert.deepEqual(await devicesOf(user), []);
});

test('a path that is no text forgets nothing', async () => {
  const user = await signIn(fixture);
  await user.register();
  for (const text of ['%E0%A4%A', '%00', 'phone%00'])
    assert.equal((await user.api.delete(`/notifications/push-token/${text}`)).status, 404, text);
  assert.equal((await devicesOf(user)).length, 1);
});

test('under one Idempotency-Key a device is registered once', async () => {
  const user = await signIn(fixture);
  const input = { token: newToken(), platform: 'ios', deviceId: 'd' };
  const send = () => user.api.post('/notifications/push-token', input, { 'idempotency-key': 'register' });
  const [first, second] = [await send(), await send()];
  assert.deepEqual(second.body.data, first.body.data);
  assert.equal(second.headers['idempotency-replayed'], 'true');
});

const REFUSED: Readonly<Record<string, readonly [object, string]>> = {
  'no token': [{ token: undefined }, 'token is required'],
  'an empty token': [{ token: ' ' }, 'token must not be empty'],
  'a token that is too long': [{ token: 'x'.repeat(4_097) }, 'token must be at most 4096 characters'],
  'a token with NUL': [{ token: 'a\u0000' }, 'token must not contain NUL or unpaired surrogates'],
  'an unknown platform': [{ platform: 'windows' }, 'platform must be one of: ios, android, web'],
  'no device': [{ deviceId: '' }, 'deviceId must not be empty'],
  'a device with a long name': [{ deviceId: 'x'.repeat(129) }, 'deviceId must be at most 128 characters'],
};
for (const [what, [input, violation]] of Object.entries(REFUSED)) {
  test(`registering refuses ${what}`, async () => {
    const { status, body } = await (await signIn(fixture)).register(input);
    assert.deepEqual([status, body.message], [400, [violation]]);
  });
}

const WEB_TOKENS: Readonly<Record<string, () => string>> = {
  'no JSON': () => 'https://1.1.1.1/push/1',
  'an object without keys': () => JSON.stringify({ endpoint: 'https://1.1.1.1/push/1' }),
  'an http endpoint': () => subscription({ endpoint: 'http://1.1.1.1/push/1' }),
  'an endpoint with a password': () => subscription({ endpoint: 'https://a:b@1.1.1.1/push/1' }),
  'a key that is no point': () => subscription({}, { p256dh: Buffer.alloc(65, 4).toString('base64url') }),
  'a key that is too short': () => subscription({}, { p256dh: Buffer.alloc(33, 2).toString('base64url') }),
  'a secret that is too short': () => subscription({}, { auth: 'AAAA' }),
};
for (const [what, token] of Object.entries(WEB_TOKENS)) {
  test(`a browser's subscription is refused for ${what}`, async () => {
    const { status, body } = await (await signIn(fixture)).register({ platform: 'web', token: token() });
    assert.equal(status, 400);
    assert.match(String(body.message), /^token must be the JSON text of a PushSubscription/);
  });
}

test('a browser is registered by its subscription, but not with an address that is near by', async () => {
  const user = await signIn(fixture);
  assert.equal((await user.register({ platform: 'web', token: subscription() })).status, 201);
  for (const endpoint of [
    'https://127.0.0.1/p',
    'https://169.254.169.254/p',
    'https://localhost/p',
    'https://[::1]/p',
  ]) {
    const { status, body } = await user.register({ platform: 'web', token: subscription({ endpoint }) });
    assert.equal(status, 400, endpoint);
    assert.match(String(body.message), /^token has an endpoint that must/, endpoint);
  }
});

test('every process tells browsers the same key, which is a point of P-256', async () => {
  const users = [
    await signIn(fixture),
    await signIn(fixture, 'dispatcher', (await fixture.organization()).organizationId),
  ];
  const keys = await Promise.all(
    users.map(async ({ api }) => {
      const { status, body } = await api.get<{ publicKey: string }>('/notifications/web-push-key');
      assert.equal(status, 200);
      return body.data.publicKey;
    }),
  );
  assert.equal(new Set(keys).size, 1);
  const bytes = Buffer.from(keys[0]!, 'base64url');
  assert.deepEqual([bytes.length, bytes[0]], [65, 4]);
});

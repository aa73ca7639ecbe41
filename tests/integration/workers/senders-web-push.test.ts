import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import { type PushService, type Subscriber, startPushService } from '../../support/services/push-service.ts';
import { until } from '../../support/until.ts';
import { PUSH, type SendingPlace, startSender, TIMED_OUT, VAPID } from './senders-place.ts';

interface Place extends SendingPlace {
  readonly service: PushService;
  readonly subscriber: Subscriber;
}

async function open(t: TestContext, settings: Parameters<typeof startSender>[1] = {}): Promise<Place> {
  const service = await startPushService();
  t.after(() => service.stop());
  const sender = startSender(t, { ca: service.ca, ...settings });
  return { ...sender, service, subscriber: service.subscribe(VAPID.publicKey) };
}

test('a browser reads what it was sent, signed by us, for as long and as urgently as was said', async (t) => {
  const { send, service, subscriber } = await open(t);
  assert.deepEqual(await send('web', subscriber.token), { kind: 'sent' });
  assert.deepEqual(service.faults, []);
  const [received] = subscriber.received;
  assert.deepEqual(JSON.parse(received!.text), {
    title: PUSH.title,
    body: PUSH.body,
    tag: 'task-5',
    data: PUSH.data,
  });
  const { ttlSeconds, urgency, topic, claims } = received!;
  assert.deepEqual({ ttlSeconds, urgency, topic }, { ttlSeconds: 600, urgency: 'high', topic: 'task-5' });
  assert.equal(claims.aud, service.origin);
  assert.equal(claims.sub, VAPID.subject);
});

test('a key of ours that begins with zeros, which Node leaves out, signs as well', async (t) => {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.alloc(30, 7));
  const [publicKey, privateKey] = [pair.getPublicKey('base64url'), pair.getPrivateKey('base64url')];
  assert.equal(Buffer.from(privateKey, 'base64url').length, 30);
  const { send, service } = await open(t, { vapid: { ...VAPID, publicKey, privateKey } });
  const browser = service.subscribe(publicKey);
  assert.deepEqual(await send('web', browser.token), { kind: 'sent' });
  assert.deepEqual([browser.received.length, service.faults.length], [1, 0]);
});

test('a push that is sent again replaces the one before', async (t) => {
  const { send, subscriber } = await open(t);
  await send('web', subscriber.token);
  await send('web', subscriber.token);
  const [first, second] = subscriber.received;
  assert.deepEqual([first!.topic, first!.text], [second!.topic, second!.text]);
});

test('the longest push arrives, and one that is longer is refused here', async (t) => {
  const { send, service, subscriber } = await open(t);
  const around = Buffer.byteLength(JSON.stringify({ title: '', body: '', tag: PUSH.collapseKey, data: {} }));
  const body = 'x'.repeat(LIMITS.webPushBytes - around);
  assert.deepEqual(await send('web', subscriber.token, { title: '', body, data: {} }), { kind: 'sent' });
  assert.equal(subscriber.received[0]?.bytes, 4_096);
  const outcome = await send('web', subscriber.token, { title: '', body: `${body}x`, data: {} });
  assert.deepEqual(outcome, { kind: 'refused', reason: 'the push is too long' });
  assert.deepEqual(service.faults, []);
});

for (const [status, kind] of [
  [200, 'sent'],
  [202, 'sent'],
  [301, 'refused'],
  [400, 'refused'],
  [403, 'refused'],
  [404, 'gone'],
  [408, 'later'],
  [410, 'gone'],
  [413, 'refused'],
  [429, 'later'],
  [500, 'later'],
  [503, 'later'],
] as const) {
  test(`when the push service answers ${status} the push is ${kind}`, async (t) => {
    const { send, service, subscriber } = await open(t);
    subscriber.behave({ status, headers: { location: `${service.origin}/elsewhere` }, body: 'so\u0000 it\r\nis' });
    const outcome = await send('web', subscriber.token);
    assert.equal(outcome.kind, kind);
    assert.equal(subscriber.received.length, 1, 'and nothing else is asked');
    if (outcome.kind !== 'refused' && outcome.kind !== 'later') return;
    assert.equal(outcome.reason, `the push service answered ${status} so it is`);
  });
}

for (const [retryAfter, afterMs] of [
  ['7', 7_000],
  ['86400', LIMITS.pushRetryAfterMs],
  ['soon', undefined],
  ['-1', undefined],
] as const) {
  test(`a service that asks to wait for "${retryAfter}" has its wait, within bounds`, async (t) => {
    const { send, subscriber } = await open(t);
    subscriber.behave({ status: 429, headers: { 'retry-after': retryAfter } });
    const outcome = await send('web', subscriber.token);
    assert.ok(outcome.kind === 'later');
    assert.equal(outcome.afterMs, afterMs);
  });
}

test('a subscription that was made for the key of another sender is refused, and not taken for dead', async (t) => {
  const { send, service } = await open(t);
  const { token } = service.subscribe(
    'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  );
  const outcome = await send('web', token);
  assert.ok(outcome.kind === 'refused');
  assert.match(outcome.reason, /^the push service answered 403 .*another sender/);
});

test('a subscription that the service does not know is gone', async (t) => {
  const { send, service, subscriber } = await open(t);
  const unknown = JSON.stringify({ ...JSON.parse(subscriber.token), endpoint: `${service.origin}/wpush/v2/99` });
  assert.equal((await send('web', unknown)).kind, 'gone');
});

test('a broken subscription counts as gone, and no service is asked', async (t) => {
  const { send } = await open(t);
  for (const token of ['', 'null', '{}', '{"endpoint":"https://push.example"}'])
    assert.deepEqual(await send('web', token), { kind: 'gone', reason: 'the subscription cannot be read' });
});

test('an endpoint on a private address is refused, however it is written', async (t) => {
  const { send, subscriber } = await open(t, { environment: { WEBHOOK_ALLOW_PRIVATE: '0' } });
  const { port } = new URL(subscriber.endpoint);
  for (const host of [`127.0.0.1:${port}`, '10.0.0.1', '169.254.169.254', '[::1]', '[::ffff:127.0.0.1]']) {
    const token = JSON.stringify({ ...JSON.parse(subscriber.token), endpoint: `https://${host}/` });
    assert.deepEqual(await send('web', token), { kind: 'refused', reason: 'the host has a private address' }, host);
  }
  assert.equal(subscriber.received.length, 0);
});

test('a service with an untrusted certificate gets nothing', async (t) => {
  const service = await startPushService();
  t.after(() => service.stop());
  const subscriber = service.subscribe(VAPID.publicKey);
  const outcome = await startSender(t).send('web', subscriber.token);
  assert.deepEqual(outcome, { kind: 'later', reason: 'TLS: certificate is self-signed' });
  assert.equal(subscriber.received.length, 0);
});

test('a service that is away, silent or endless is tried later', async (t) => {
  const { send, service, subscriber } = await open(t, { isHasty: true });
  subscriber.behave('hang');
  assert.deepEqual(await send('web', subscriber.token), { kind: 'later', reason: TIMED_OUT });
  subscriber.behave({ status: 503, body: 'x'.repeat(LIMITS.pushAnswerBytes), isEndless: true });
  const outcome = await send('web', subscriber.token);
  assert.ok(outcome.kind === 'later');
  assert.match(outcome.reason, /^the push service answered 503 x+…$/);
  assert.equal(outcome.reason.length, LIMITS.pushReasonChars);
  subscriber.behave('take');
  assert.deepEqual(await send('web', subscriber.token), { kind: 'sent' }, 'on a new connection');
  await service.stop();
  assert.deepEqual(await send('web', subscriber.token), { kind: 'later', reason: 'connection refused' });
});

test('a push that is given up has an unknown outcome', async (t) => {
  const { send, subscriber } = await open(t);
  subscriber.behave('hang');
  const giveUp = new AbortController();
  const sending = send('web', subscriber.token, {}, giveUp.signal);
  await until('it is there', () => subscriber.received.length === 1);
  giveUp.abort(new Error('stopping'));
  await assert.rejects(sending, /^Error: stopping$/);
});

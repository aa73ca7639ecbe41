import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { ConfigError } from '../../../engine/runtime/config.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type FcmBehaviour, type FcmServer, startFcmServer } from '../../support/services/fcm-server.ts';
import { PUSH, type SendingPlace, startSender, TIMED_OUT } from './senders-place.ts';

interface Place extends SendingPlace {
  readonly fcm: FcmServer;
}

async function open(t: TestContext, settings: Parameters<typeof startSender>[1] = {}): Promise<Place> {
  const fcm = await startFcmServer();
  t.after(() => fcm.stop());
  return { ...startSender(t, { environment: settingsOf(fcm), ...settings }), fcm };
}

function settingsOf(fcm: FcmServer) {
  return { FCM_URL: fcm.url, FCM_SERVICE_ACCOUNT: fcm.serviceAccount };
}

/** A log that is read back. */
function readableLog() {
  const lines: { readonly level: number; readonly msg: string; readonly err?: { readonly message: string } }[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { log: pino(sink), lines };
}

test('a phone gets title, words and data, at once and no later than they are useful', async (t) => {
  const { send, fcm } = await open(t);
  const before = Math.floor(Date.now() / 1_000);
  assert.deepEqual(await send('android', 'device-1'), { kind: 'sent' });
  assert.deepEqual(fcm.faults, []);
  const { apns, ...message } = fcm.messages[0]!;
  assert.deepEqual(message, {
    token: 'device-1',
    notification: { title: PUSH.title, body: PUSH.body },
    data: PUSH.data,
    android: { priority: 'HIGH', ttl: '600s', collapse_key: 'task-5', notification: { tag: 'task-5' } },
  });
  const expiresAt = Number(apns.headers['apns-expiration']);
  assert.ok(expiresAt >= before + 600 && expiresAt <= Date.now() / 1_000 + 600, `${expiresAt}`);
  assert.equal(apns.headers['apns-priority'], '10');
  assert.equal(apns.headers['apns-collapse-id'], 'task-5');
});

test('a notice that is not urgent lets a phone sleep', async (t) => {
  const { send, fcm } = await open(t);
  await send('ios', 'device-1', { urgency: 'normal' });
  const [message] = fcm.messages;
  assert.deepEqual([message?.android.priority, message?.apns.headers['apns-priority']], ['NORMAL', '5']);
});

for (const [name, behaviour, kind, afterMs] of [
  ['UNREGISTERED', { error: 'UNREGISTERED' }, 'gone'],
  ['SENDER_ID_MISMATCH', { error: 'SENDER_ID_MISMATCH' }, 'gone'],
  ['INVALID_ARGUMENT in the words for a token', { error: 'INVALID_ARGUMENT' }, 'gone'],
  ['INVALID_ARGUMENT of the field message.token', { error: 'INVALID_ARGUMENT', field: 'message.token' }, 'gone'],
  ['INVALID_ARGUMENT of another field', { error: 'INVALID_ARGUMENT', field: 'message.android.ttl' }, 'refused'],
  ['QUOTA_EXCEEDED', { error: 'QUOTA_EXCEEDED' }, 'later', LIMITS.fcmQuotaPauseMs],
  ['QUOTA_EXCEEDED for 5 s', { error: 'QUOTA_EXCEEDED', headers: { 'retry-after': '5' } }, 'later', 5_000],
  ['UNAVAILABLE', { error: 'UNAVAILABLE' }, 'later'],
  ['UNAVAILABLE for 30 s', { error: 'UNAVAILABLE', headers: { 'retry-after': '30' } }, 'later', 30_000],
  ['INTERNAL', { error: 'INTERNAL' }, 'later'],
  ['THIRD_PARTY_AUTH_ERROR', { error: 'THIRD_PARTY_AUTH_ERROR' }, 'later'],
  ['404 of no device', { status: 404, body: '<html>Not Found</html>' }, 'later'],
  ['403 of no device', { status: 403, body: '{"error":{"status":"PERMISSION_DENIED","message":"off"}}' }, 'later'],
  ['400 in other words', { status: 400, body: '{"error":[]}' }, 'refused'],
  ['302', { status: 302, body: '', headers: { location: '/token' } }, 'refused'],
] as const satisfies readonly (readonly [string, FcmBehaviour, string, number?])[]) {
  test(`when FCM answers ${name} the push is ${kind}`, async (t) => {
    const { send, fcm } = await open(t);
    fcm.behave(behaviour);
    const outcome = await send('android', 'device-1');
    assert.equal(outcome.kind, kind, JSON.stringify(outcome));
    assert.equal(outcome.kind === 'later' ? outcome.afterMs : undefined, afterMs);
    assert.equal(fcm.attempts(), 1);
    assert.deepEqual(fcm.faults, []);
  });
}

test('a hundred pushes at once ask for access once', async (t) => {
  const { send, fcm } = await open(t);
  await Promise.all(Array.from({ length: 100 }, (_, i) => send('ios', `device-${i}`)));
  assert.equal(fcm.messages.length, 100);
  assert.equal(fcm.accessTokens.length, 1);
});

for (const [lifeSeconds, usedMs] of [
  [3_599, 3_599_000 - LIMITS.fcmTokenMarginMs],
  [30, 15_000],
] as const) {
  test(`an access token of ${lifeSeconds} s is used for ${usedMs / 1_000} s`, async (t) => {
    let nowMs = Date.now();
    const { send, fcm } = await open(t, { clock: { ...systemClock, now: () => nowMs } });
    fcm.accessLastsSeconds(lifeSeconds);
    await send('ios', 'device-1');
    nowMs += usedMs - 1;
    await send('ios', 'device-1');
    assert.equal(fcm.accessTokens.length, 1);
    nowMs += 1;
    await send('ios', 'device-1');
    assert.equal(fcm.accessTokens.length, 2);
  });
}

test('an access token that was taken back is replaced, once for all who have it', async (t) => {
  const { send, fcm } = await open(t);
  await send('ios', 'device-1');
  fcm.revokeAccess();
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => send('ios', 'device-1')));
  assert.ok(outcomes.every(({ kind }) => kind === 'sent'));
  assert.equal(fcm.accessTokens.length, 2);
});

test('a service account that Google refuses makes all wait, is logged once, and works when it is mended', async (t) => {
  const { log, lines } = readableLog();
  const { send, fcm } = await open(t, { log });
  const body = JSON.stringify({ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
  fcm.behaveOnAccess({ status: 400, body });
  for (let i = 0; i < 3; i++) {
    const outcome = await send('ios', 'device-1');
    assert.deepEqual(outcome, { kind: 'later', reason: `the service account was refused: 400 ${body}` });
  }
  fcm.behaveOnAccess({ status: 200, body: '{"access_token":"a\\nb","expires_in":3599}' });
  const reason = 'the answer for the service account holds no access token';
  assert.deepEqual(await send('ios', 'device-1'), { kind: 'later', reason });
  fcm.behaveOnAccess(undefined);
  assert.deepEqual(await send('ios', 'device-1'), { kind: 'sent' });
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['sending through FCM fails; retrying', 'sending through FCM works again'],
  );
  assert.equal(fcm.attempts(), 1);
});

test('FCM that is silent or away is tried later', async (t) => {
  const { send, fcm } = await open(t, { isHasty: true });
  fcm.behave('hang');
  assert.deepEqual(await send('ios', 'device-1'), { kind: 'later', reason: TIMED_OUT });
  await fcm.stop();
  assert.deepEqual(await send('ios', 'device-1'), { kind: 'later', reason: 'connection refused' });
});

test('the account may be in a file', async (t) => {
  const fcm = await startFcmServer();
  t.after(() => fcm.stop());
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-fcm-'));
  try {
    const path = join(directory, 'account.json');
    writeFileSync(path, fcm.serviceAccount);
    const { send } = startSender(t, { environment: { FCM_URL: `${fcm.url}/`, FCM_SERVICE_ACCOUNT: path } });
    assert.deepEqual(await send('ios', 'device-1'), { kind: 'sent' });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('an account that cannot be used stops the start with a word on it, and with nothing of what is in it', async (t) => {
  const fcm = await startFcmServer();
  t.after(() => fcm.stop());
  const account = JSON.parse(fcm.serviceAccount) as Record<string, string>;
  for (const [setting, word] of [
    ['/nowhere/account.json', /a file that cannot be read \(ENOENT\)/],
    ['{"type":', /neither JSON nor/],
    ['{"type":"authorized_user"}', /look at type, project_id, private_key_id/],
    [JSON.stringify({ ...account, project_id: '../x' }), /look at project_id/],
    [JSON.stringify({ ...account, private_key: 'secret' }), /no RSA key/],
    [JSON.stringify({ ...account, token_uri: 'x' }), /look at token_uri/],
  ] as const) {
    const start = () => startSender(t, { environment: { FCM_SERVICE_ACCOUNT: setting } });
    assert.throws(start, (error: Error) => error instanceof ConfigError && word.test(error.message), setting);
  }
});

test('without credentials phones are refused, which is logged once', async (t) => {
  const { log, lines } = readableLog();
  const { send } = startSender(t, { log });
  for (const platform of ['ios', 'android'] as const)
    assert.deepEqual(await send(platform, 'device-1'), { kind: 'refused', reason: 'no FCM credentials' });
  assert.equal(lines.length, 1);
});

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../../engine/runtime/clock.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import { hashSecret } from '../../../../engine/runtime/secrets.ts';
import { createMailStore } from '../../../../engine/store/accounts/mail-store.ts';
import type { Sql } from '../../../../engine/store/postgres.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createMailTransport } from '../../../../workers/notifications/mail-transport.ts';
import { pauseAfter } from '../../../../workers/notifications/mailer.ts';
import { testRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';
import { startWorkersProcess, type WorkersProcess } from '../workers-place.ts';
import { FROM, type MailPlace, PUBLIC_URL, SWEEP_MS, useMail } from './mail-place.ts';
import { startMailServer, tokenIn } from './mail-server.ts';
import { readMail } from './received-mail.ts';

const withMail = useMail();

/** Whose token it is, if it is good. */
async function ownerOf(sql: Sql, token: string): Promise<number | undefined> {
  const [row] = await sql<{ userId: number }[]>`
    SELECT organization_id, user_id FROM user_tokens WHERE token_hash = decode(${hashSecret(token)}, 'hex')`;
  return row?.userId;
}

/** Resolves when the mailer has tried a mail in vain and put it off; not while it is leased, which is for longer. */
function untilPutOff({ requests }: MailPlace): Promise<void> {
  return until('it was put off', async () =>
    (await requests()).some(({ attempts, dueInMs }) => attempts > 0 && dueInMs < LIMITS.mailLeaseMs / 2),
  );
}

test('a mail that was asked for arrives with a good token in its one link, and is sent once', () =>
  withMail(async ({ sql, server, user, request, requests, mailing }) => {
    const [verifying, resetting] = [await user(), await user(true)];
    await request('verify_email', verifying.email);
    await request('reset_password', resetting.email.toUpperCase());
    await mailing(async () => {
      await until('both are settled', async () => (await requests()).length === 0);
      await delay(10 * SWEEP_MS);
    });
    assert.equal(server.received.length, 2);
    for (const [{ userId, email }, prefix, subject, path] of [
      [verifying, 'dv_', 'Confirm your e-mail address', 'verify'],
      [resetting, 'dp_', 'Choose a new password', 'reset'],
    ] as const) {
      const mail = server.received.find(({ to }) => to.includes(email));
      assert.ok(mail, `a mail to ${email}`);
      assert.equal(mail.from, FROM);
      assert.deepEqual(mail.to, [email]);
      assert.ok(mail.token.startsWith(prefix));
      assert.equal(await ownerOf(sql, mail.token), userId);
      assert.match(mail.source, new RegExp(`^Subject: ${subject}\\r$`, 'm'));
      const { text, html } = readMail(mail.source);
      for (const part of [text, html!])
        assert.deepEqual(part.match(/https?:[^\s"<]+/g), [`${PUBLIC_URL}/account/${path}?token=${mail.token}`]);
    }
  }));

test('nobody gets a mail who is unknown, inactive or verified already, and the request goes', () =>
  withMail(async ({ sql, server, user, request, requests, mailing }) => {
    const verified = await user(true);
    const inactive = await user();
    await sql`UPDATE users SET is_active = false WHERE organization_id > 0 AND id = ${inactive.userId}`;
    for (const email of ['nobody@example.com', inactive.email]) await request('reset_password', email);
    for (const email of ['nobody@example.com', inactive.email, verified.email]) await request('verify_email', email);
    await mailing(() => until('all are settled', async () => (await requests()).length === 0));
    assert.equal(server.attempts(), 0);
  }));

test('a mail that the server puts off is tried again later, and arrives then', () =>
  withMail(async (place) => {
    const { sql, server, behaviour, user, request, requests, mailing } = place;
    const { userId, email } = await user();
    behaviour.refusal = 451;
    await request('verify_email', email);
    await mailing(() => untilPutOff(place));
    const [waiting] = await requests();
    assert.equal(waiting?.attempts, 1);
    assert.ok(waiting.putOffMs >= pauseAfter(1), `put off for ${waiting.putOffMs} ms`);
    behaviour.refusal = undefined;
    await sql`UPDATE mail_requests SET due_at = now()`;
    await mailing(() => until('it arrived', async () => (await requests()).length === 0));
    assert.equal(server.received.length, 1);
    assert.equal(await ownerOf(sql, server.received[0]!.token), userId);
  }));

test('a mail is given up when the server refuses it for good, or after a day', () =>
  withMail(async ({ sql, server, behaviour, user, request, requests, mailing }) => {
    const { email } = await user();
    behaviour.refusal = 550;
    await request('verify_email', email);
    await mailing(() => until('it is given up', async () => (await requests()).length === 0));
    behaviour.refusal = 451;
    await request('verify_email', email);
    await sql`UPDATE mail_requests SET requested_at = now() - ${LIMITS.mailPatienceMs} * interval '1 ms'`;
    await mailing(() => until('it is given up', async () => (await requests()).length === 0));
    assert.equal(server.attempts(), 2);
    assert.equal(server.received.length, 0);
  }));

test('a server that is away costs no mail', () =>
  withMail(async (place) => {
    const { sql, user, request, requests, mailing, server } = place;
    const { email } = await user();
    const gone = await startMailServer();
    await gone.stop();
    await request('verify_email', email);
    await mailing(() => untilPutOff(place), { smtpUrl: gone.url });
    await sql`UPDATE mail_requests SET due_at = now()`;
    await mailing(() => until('it arrived', async () => (await requests()).length === 0));
    assert.deepEqual(server.received[0]?.to, [email]);
  }));

test('a user who keeps asking for mails gets five an hour for each purpose, and none of them is voided', () =>
  withMail(async ({ sql, server, user, request, requests, mailing }) => {
    const { userId, email } = await user();
    await mailing(async () => {
      for (let i = 0; i < LIMITS.liveTokensPerPurpose + 2; i++) {
        await request('reset_password', email);
        await until('it is settled', async () => (await requests()).length === 0);
      }
      assert.equal(server.received.length, LIMITS.liveTokensPerPurpose);
      await request('verify_email', email);
      await until('it is settled', async () => (await requests()).length === 0);
      assert.equal(server.received.length, LIMITS.liveTokensPerPurpose + 1, 'the other purpose');
      for (const { token } of server.received) assert.equal(await ownerOf(sql, token), userId);
      await sql`
        UPDATE user_tokens SET expires_at = expires_at - interval '1 hour'
        WHERE organization_id > 0 AND user_id = ${userId}`;
      await request('reset_password', email);
      await until('it is settled', async () => (await requests()).length === 0);
      assert.equal(server.received.length, LIMITS.liveTokensPerPurpose + 2, 'an hour later');
    });
  }));

test('tries that fail do not use up what a user may be sent', () =>
  withMail(async (place) => {
    const { sql, server, behaviour, user, request, requests, mailing } = place;
    const { userId, email } = await user();
    behaviour.refusal = 451;
    await request('reset_password', email);
    for (let tries = 1; tries <= LIMITS.liveTokensPerPurpose + 1; tries++) {
      await mailing(() => untilPutOff(place));
      await sql`UPDATE mail_requests SET due_at = now(), attempts = 0`;
    }
    assert.ok(server.attempts() > LIMITS.liveTokensPerPurpose);
    behaviour.refusal = undefined;
    await mailing(() => until('it arrived', async () => (await requests()).length === 0));
    assert.equal(server.received.length, 1);
    assert.equal(await ownerOf(sql, server.received[0]!.token), userId);
  }));

test('a mail that is requested again while one is sent is neither settled nor put off with it', () =>
  withMail(async ({ sql, user, request, requests }) => {
    const store = createMailStore(sql);
    const { email } = await user();
    await request('reset_password', email);
    const [leased] = await store.lease(1);
    await sql`UPDATE mail_requests SET requested_at = requested_at + interval '1 microsecond'`;
    await store.settle(leased!);
    await store.postpone(leased!, 0);
    const [left] = await requests();
    assert.ok(left && left.dueInMs > LIMITS.mailLeaseMs / 2, `due in ${left?.dueInMs} ms`);
    await sql`UPDATE mail_requests SET due_at = now()`;
    const [again] = await store.lease(1);
    await store.settle(again!);
    assert.deepEqual(await requests(), []);
  }));

test('pauses double from five seconds to ten minutes', () => {
  assert.deepEqual([1, 2, 3, 7, 8, 100].map(pauseAfter), [5_000, 10_000, 20_000, 320_000, 600_000, 600_000]);
});

test('two mailers share forty mails, each sent once and few at a time', () =>
  withMail(async ({ server, behaviour, user, request, requests, mailing }) => {
    let atOnce = 0;
    let most = 0;
    behaviour.onMail = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await delay(20);
      atOnce -= 1;
    };
    const emails = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const { email } = await user();
      emails.add(email);
      await request('verify_email', email);
    }
    await mailing(() => mailing(() => until('all arrived', async () => (await requests()).length === 0)));
    assert.equal(server.received.length, 40);
    assert.deepEqual(new Set(server.received.flatMap(({ to }) => to)), emails);
    assert.ok(most <= 2 * LIMITS.mailsAtOnce, `${most} at a time`);
  }));

test('without a mail server mails become files that only their owner reads, the oldest giving way', () =>
  withMail(async ({ sql, organizationId, user, request, requests, mailing }) => {
    const directory = mkdtempSync(join(tmpdir(), 'dispatch-mail-'));
    const outbox = join(directory, 'outbox');
    try {
      const first = await user();
      await request('verify_email', first.email);
      await mailing(() => until('it is written', async () => (await requests()).length === 0), { outbox });
      const [name] = readdirSync(outbox);
      assert.match(name!, new RegExp(`^\\d{8}T\\d{9}Z-${organizationId}-verify_email-[0-9A-Z]{6}\\.eml$`));
      const source = readFileSync(join(outbox, name!), 'utf8');
      assert.match(source, new RegExp(`^To: ${first.email}\\r?$`, 'm'));
      assert.equal(await ownerOf(sql, tokenIn(source)), first.userId);
      assert.equal(statSync(join(outbox, name!)).mode & 0o777, 0o600);
      assert.equal(statSync(outbox).mode & 0o777, 0o700);

      for (let i = 0; i < LIMITS.outboxFiles; i++) writeFileSync(join(outbox, `2999-${i}.eml`), '');
      await request('reset_password', (await user()).email);
      await mailing(() => until('it is written', async () => (await requests()).length === 0), { outbox });
      assert.equal(readdirSync(outbox).length, LIMITS.outboxFiles);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }));

test('a worker that is killed between the sending and the note of it sends again, and both tokens are good', () =>
  withMail(async ({ sql, databaseUrl, server, behaviour, user, request, requests, mailing }) => {
    const { userId, email } = await user();
    const { url, prefix } = testRedis();
    const environment = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: url,
      REDIS_PREFIX: prefix,
      SMTP_URL: server.url,
      MAIL_FROM: FROM,
    };
    let workers: WorkersProcess | undefined;
    try {
      behaviour.onMail = async () => workers!.kill();
      workers = await startWorkersProcess(environment);
      await request('reset_password', email);
      await until('the first mail is there', () => server.received.length === 1);
      await workers.kill();
      const [left] = await requests();
      assert.equal(left?.attempts, 1);
      assert.ok(left.dueInMs > 0 && left.dueInMs <= LIMITS.mailLeaseMs, `leased for ${left.dueInMs} ms`);

      behaviour.onMail = undefined;
      // The end of the lease does the same.
      await sql`UPDATE mail_requests SET due_at = now()`;
      await mailing(() => until('the second mail is there and noted', async () => (await requests()).length === 0));
      const [first, second] = server.received;
      assert.deepEqual([first!.to, second!.to], [[email], [email]]);
      assert.notEqual(first!.token, second!.token);
      for (const { token } of [first!, second!]) assert.equal(await ownerOf(sql, token), userId);
    } finally {
      await workers?.kill();
    }
  }));

test('a subject that looks like encoded words reaches its reader as the text that it is', async () => {
  const server = await startMailServer();
  try {
    const options = { smtpUrl: server.url, from: FROM, outbox: '', clock: systemClock, random: createRandomSource() };
    const sendMail = createMailTransport(options);
    const word = `=?utf-8?b?${Buffer.from('evil.example\r\nBcc: x@y.example').toString('base64')}?=`;
    const mail = { organizationId: 1, purpose: 'tracking', to: 'ada@example.com', text: 'Hello' } as const;
    await sendMail({ ...mail, subject: `Hi ${word} there` });
    const { headers, headerNames } = readMail(server.received[0]!.source);
    assert.equal(headers.get('subject')!.replaceAll('\u2060', ''), `Hi ${word} there`);
    assert.equal(headerNames.includes('bcc'), false);
  } finally {
    await server.stop();
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../../schema/limits.ts';
import { seedOrganization } from '../../../support/seeds/seed.ts';
import { until } from '../../../support/until.ts';
import { type MailPlace, useMail } from './mail-place.ts';

const withMail = useMail();

/** As if users of the organization had been mailed so many tokens, half of them of each purpose, just now. */
async function fillHour({ sql, organizationId }: MailPlace, mails: number): Promise<void> {
  await sql`
    INSERT INTO user_tokens (organization_id, user_id, purpose, token_hash, expires_at)
    SELECT ${organizationId}, 0, CASE i % 2 WHEN 0 THEN 'verify_email' ELSE 'reset_password' END, sha256(i::text::bytea),
      now() + CASE i % 2 WHEN 0 THEN ${LIMITS.verifyTokenMs}::int ELSE ${LIMITS.resetTokenMs}::int END * interval '1 ms'
    FROM generate_series(1, ${mails}::int) AS i`;
}

const letHourPass = ({ sql, organizationId }: MailPlace) => sql`
  UPDATE user_tokens SET expires_at = expires_at - interval '1 hour' WHERE organization_id = ${organizationId}`;

test('an organization is sent so many mails an hour and not one more, however many senders there are', () =>
  withMail(async (place) => {
    const { server, behaviour, user, request, requests, mailing } = place;
    behaviour.onMail = () => delay(20);
    await fillHour(place, LIMITS.mailsPerOrganizationPerHour - 5);
    for (let i = 0; i < 20; i++) await request('verify_email', (await user()).email);
    const isHeldBack = async () => (await requests()).every(({ dueInMs }) => dueInMs > LIMITS.mailLeaseMs);
    await mailing(() => mailing(() => until('the others are held back', isHeldBack)));
    assert.equal(server.received.length, 5);
    const waiting = await requests();
    assert.equal(waiting.length, 15);
    for (const { attempts, dueInMs } of waiting) {
      assert.equal(attempts, 0, 'which is no try');
      assert.ok(dueInMs > 0.45 * LIMITS.liveTokenWindowMs && dueInMs <= LIMITS.liveTokenWindowMs, `in ${dueInMs} ms`);
    }
    const times = new Set(waiting.map(({ dueInMs }) => Math.round(dueInMs)));
    assert.ok(times.size > 10, 'they do not all come back at once');
  }));

test('mails over the bound arrive when the hour has passed, and are given up only after a day', () =>
  withMail(async (place) => {
    const { sql, server, user, request, requests, mailing } = place;
    await fillHour(place, LIMITS.mailsPerOrganizationPerHour);
    const [patient, late] = [await user(), await user(true)];
    await request('verify_email', patient.email);
    await request('reset_password', late.email);
    const untilHeldBack = (waiting: number) =>
      until(
        'held back',
        async () => (await requests()).filter(({ dueInMs }) => dueInMs > LIMITS.mailLeaseMs).length === waiting,
      );
    await mailing(() => untilHeldBack(2));
    assert.equal(server.attempts(), 0);
    await sql`UPDATE mail_requests SET due_at = now()`;
    await sql`
      UPDATE mail_requests SET requested_at = now() - ${LIMITS.mailPatienceMs} * interval '1 ms' WHERE email = ${late.email}`;
    await mailing(async () => {
      await until('the late one is given up', async () => (await requests()).length === 1);
      await untilHeldBack(1);
    });
    await letHourPass(place);
    await sql`UPDATE mail_requests SET due_at = now()`;
    await mailing(() => until('it arrived', async () => (await requests()).length === 0));
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [[patient.email]],
    );
  }));

test('mails of another organization do not wait behind those that are over the bound', () =>
  withMail(async (place) => {
    const { databaseUrl, sql, server, user, request, requests, mailing } = place;
    await fillHour(place, LIMITS.mailsPerOrganizationPerHour);
    const crowd = 2_000;
    await sql`
      WITH made AS (
        INSERT INTO users (organization_id, id, role, email, first_name, last_name)
        SELECT ${place.organizationId}, nextval('user_ids'), 'dispatcher', 'crowd' || i || '@test.example', '', ''
        FROM generate_series(1, ${crowd}::int) AS i RETURNING email)
      INSERT INTO mail_requests (purpose, email, due_at) SELECT 'verify_email', email, now() - interval '1 minute' FROM made`;
    const { organizationId } = await seedOrganization(databaseUrl);
    const other = await user(false, organizationId);
    await request('verify_email', other.email);
    const atStartOnly = () => () => {};
    await mailing(() => until('it arrived', () => server.received.length === 1), { smtpUrl: server.url }, atStartOnly);
    assert.deepEqual(server.received[0]!.to, [other.email]);
    const left = await requests();
    assert.ok(left.length >= crowd, 'none is lost');
  }));

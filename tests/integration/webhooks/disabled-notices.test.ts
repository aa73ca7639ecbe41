import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createFollowerStore } from '../../../engine/store/webhooks/follower-store.ts';
import { type Mail, NoAnswerError } from '../../../workers/notifications/mail-transport.ts';
import { createNoticeProcessor } from '../../../workers/webhooks/disabled-notices.ts';
import { secretBox } from '../../support/secrets.ts';
import { createRunnerPlace } from './endpoint-runner-place.ts';

test('each active administrator of the organization gets one mail about a disabled webhook', async () => {
  const place = await createRunnerPlace();
  try {
    const key = await place.addWebhook();
    const { runner } = place.openEndpointRunner(() => ({ isSuccess: false, isGone: true, status: 410 }));
    const addUser = (email: string, role: string, isActive: boolean) => place.sql`
      INSERT INTO users (organization_id, id, role, first_name, last_name, email, is_active, email_verified_at)
      VALUES (${place.organizationId}, nextval('user_ids'), ${role}, 'A', 'B', ${email}, ${isActive}, now())`;
    await addUser('one@example.com', 'org_admin', true);
    await addUser('two@example.com', 'org_admin', true);
    await addUser('full@example.com', 'org_admin', true);
    await addUser('left@example.com', 'org_admin', false);
    await addUser('dispatcher@example.com', 'dispatcher', true);
    await place.commit('task.created');
    await place.serve(runner, key);

    const mails: Mail[] = [];
    let isAway = true;
    const followers = createFollowerStore(place.sql, secretBox);
    const send = async (mail: Mail) => {
      if (isAway || mail.to === 'full@example.com') throw new Error('not now');
      mails.push(mail);
    };
    const tell = createNoticeProcessor(followers, send, pino({ level: 'silent' }));
    await tell();
    isAway = false;
    await tell();
    await tell();
    assert.deepEqual(mails.map(({ to }) => to).sort(), ['one@example.com', 'two@example.com']);
    assert.match(mails[0]!.text, new RegExp(`Webhook ${key.webhookId} was disabled: it has answered 410 Gone`));
    // Tests and redeliveries are sent all the same.
    assert.match(mails[0]!.text, /No event is sent to it until it is switched on again:/);
  } finally {
    await place.drop();
  }
});

/** Tells the one administrator of a disabled webhook, by a mail server that fails so. */
async function tellAda(failure: Error) {
  const told: number[] = [];
  const lines: string[] = [];
  const disabled = { organizationId: 1, webhookId: 7, url: 'https://hooks.example', reason: 'gone' as const };
  const followers = {
    findUntold: async () => [{ ...disabled, admins: ['ada@example.com'] }],
    noteTold: async ({ webhookId }: { readonly webhookId: number }) => void told.push(webhookId),
  };
  const send = async () => {
    throw failure;
  };
  await createNoticeProcessor(followers, send, pino({}, { write: (line) => void lines.push(line) }))();
  return { told, log: lines.join('') };
}

test('an administrator whose mail may have arrived gets no second one', async () => {
  assert.deepEqual((await tellAda(new NoAnswerError('no answer'))).told, [7]);
});

test('the log says why a mail about a webhook was refused, and not the address of the administrator', async () => {
  const refused = { code: 'EENVELOPE', responseCode: 550, rejected: ['ada@example.com'] };
  const { told, log } = await tellAda(Object.assign(new Error('550 <ada@example.com>: no such user'), refused));
  assert.deepEqual(told, [7]);
  assert.match(log, /550 <a\*\*\*@example\.com>: no such user/);
  assert.doesNotMatch(log, /ada@/);
});

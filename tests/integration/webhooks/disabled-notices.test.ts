import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { pino } from 'pino';
import { createFollowerStore, type EndpointKey } from '../../../engine/store/webhooks/follower-store.ts';
import { type Mail, NoAnswerError, type SendMail } from '../../../workers/notifications/mail-transport.ts';
import { createNoticeProcessor } from '../../../workers/webhooks/disabled-notices.ts';
import { secretBox } from '../../support/secrets.ts';
import { until } from '../../support/until.ts';
import { createRunnerPlace, type RunnerPlace } from './endpoint-runner-place.ts';

let place: RunnerPlace;
before(async () => {
  place = await createRunnerPlace();
});
// The notices look across organizations.
afterEach(() => place.sql`TRUNCATE webhooks, webhook_followers, webhook_deliveries`);
afterEach(() => place.sql`DELETE FROM users WHERE organization_id = ${place.organizationId}`);
after(() => place.drop());

const addUser = (email: string, role = 'org_admin', isActive = true) => place.sql`
  INSERT INTO users (organization_id, id, role, first_name, last_name, email, is_active, email_verified_at)
  VALUES (${place.organizationId}, nextval('user_ids'), ${role}, 'A', 'B', ${email}, ${isActive}, now())`;

/** A webhook that has answered 410, and does so again. */
async function addDisabled(): Promise<{ readonly key: EndpointKey; readonly disableAgain: () => Promise<void> }> {
  const key = await place.addWebhook();
  const { runner } = place.openEndpointRunner(() => ({ isSuccess: false, isGone: true, status: 410 }));
  const disable = async () => {
    await place.commit('task.created');
    await place.serve(runner, key);
  };
  await disable();
  const disableAgain = async () => {
    await place.sql`
      UPDATE webhooks w SET active_since = f.disabled_at + interval '1 microsecond'
      FROM webhook_followers f WHERE f.webhook_id = w.id AND w.id = ${key.webhookId}`;
    await disable();
  };
  return { key, disableAgain };
}

const noticesBy = (send: SendMail) =>
  createNoticeProcessor(createFollowerStore(place.sql, secretBox), send, pino({ level: 'silent' }));

test('each active administrator of the organization gets one mail about a disabled webhook', async () => {
  const { key } = await addDisabled();
  await addUser('one@example.com');
  await addUser('two@example.com');
  await addUser('full@example.com');
  await addUser('left@example.com', 'org_admin', false);
  await addUser('dispatcher@example.com', 'dispatcher');
  const mails: Mail[] = [];
  let isAway = true;
  const tell = noticesBy(async (mail) => {
    if (isAway || mail.to === 'full@example.com') throw new Error('not now');
    mails.push(mail);
  });
  await tell();
  isAway = false;
  await tell();
  await tell();
  assert.deepEqual(mails.map(({ to }) => to).sort(), ['one@example.com', 'two@example.com']);
  assert.match(mails[0]!.text, new RegExp(`Webhook ${key.webhookId} was disabled: it has answered 410 Gone`));
  // Tests and redeliveries are sent all the same.
  assert.match(mails[0]!.text, /No event is sent to it until it is switched on again:/);
});

test('a run that begins while another one mails sends no second mail', async () => {
  await addDisabled();
  await addUser('one@example.com');
  await addUser('two@example.com');
  const told: string[] = [];
  const other = noticesBy(async ({ to }) => void told.push(to));
  await noticesBy(async ({ to }) => {
    told.push(to);
    await other();
  })();
  assert.deepEqual(told.sort(), ['one@example.com', 'two@example.com']);
});

test('administrators hear of a webhook that is disabled again while they are mailed about the first time', async () => {
  const { disableAgain } = await addDisabled();
  await addUser('one@example.com');
  const told: string[] = [];
  await noticesBy(async ({ to }) => {
    told.push(to);
    await disableAgain();
  })();
  const later = noticesBy(async ({ to }) => void told.push(to));
  await later();
  await later();
  assert.deepEqual(told, ['one@example.com', 'one@example.com']);
});

test('a process that dies before its mails leaves them to another', async () => {
  await addDisabled();
  await addUser('one@example.com');
  const told: string[] = [];
  const other = noticesBy(async ({ to }) => void told.push(to));
  // One that hangs does what a dead one does.
  let isAt = false;
  void noticesBy(() => {
    isAt = true;
    return new Promise(() => {});
  })();
  await until('it mails', () => isAt);
  await other();
  assert.deepEqual(told, []);
  await place.sql`UPDATE webhook_followers SET notice_claimed_until = now()`;
  await other();
  assert.deepEqual(told, ['one@example.com']);
});

test('no mail goes out about a webhook that is switched on while others are mailed about', async () => {
  for (let webhooks = 0; webhooks < 2; webhooks += 1) await addDisabled();
  await addUser('one@example.com');
  const told: string[] = [];
  await noticesBy(async ({ to }) => {
    told.push(to);
    await place.sql`UPDATE webhooks SET active_since = now()`;
  })();
  assert.deepEqual(told, ['one@example.com']);
});

/** Tells the one administrator of a disabled webhook, by a mail server that fails so. */
async function tellAda(failure: Error) {
  const told: number[] = [];
  const lines: string[] = [];
  const disabled = {
    organizationId: 1,
    webhookId: 7,
    url: 'https://hooks.example',
    reason: 'gone' as const,
    disabledExactly: '',
  };
  const followers = {
    findUntold: async () => [{ ...disabled, admins: ['ada@example.com'] }],
    claimNotice: async () => true,
    releaseNotice: async () => {},
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

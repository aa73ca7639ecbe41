import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../../engine/runtime/clock.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import type { MailKind } from '../../../../schema/notices/notification.ts';
import { customerMailOf } from '../../../../workers/notifications/customer-mail.ts';
import { createMailTransport, removeMailsTo, type SendMail } from '../../../../workers/notifications/mail-transport.ts';
import { HOSTILE_TEXTS } from '../../../support/seeds/hostile-texts.ts';
import { noticeFacts } from '../../../unit/workers/notice-facts.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { type ReadMail, readMail } from './received-mail.ts';

const FROM = 'dispatch@example.com';
const TO = 'ada@example.com';

async function open(t: TestContext): Promise<{ readonly server: MailServer; readonly send: SendMail }> {
  const server = await startMailServer();
  t.after(() => server.stop());
  const options = { from: FROM, outbox: '', clock: systemClock, random: createRandomSource() };
  return { server, send: createMailTransport({ ...options, smtpUrl: server.url }) };
}

function mailOf(kind: MailKind, hostile?: string) {
  const facts =
    hostile === undefined
      ? noticeFacts({ kind })
      : noticeFacts({ kind, organizationName: hostile, customerName: hostile }, { code: hostile, address: hostile });
  return { organizationId: 7, purpose: 'tracking', to: TO, id: '7-12', ...customerMailOf(facts, {}) } as const;
}

const HEADERS = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'];

/** Facts of every mail to a customer, with any content. */
function checkEnvelope({ headers, headerNames }: ReadMail): void {
  assert.deepEqual([...headerNames].sort(), HEADERS);
  assert.equal(headers.get('from'), FROM);
  assert.equal(headers.get('to'), TO);
  assert.equal(headers.get('auto-submitted'), 'auto-generated');
  assert.equal(headers.get('message-id'), '<7-12@example.com>');
}

test('a customer gets text and markup that say the same, with one id on every attempt', async (t) => {
  const { server, send } = await open(t);
  const mail = mailOf('tracking_on_the_way');
  await send(mail);
  await send(mail);
  assert.equal(server.received.length, 2);
  for (const { from, to, source } of server.received) {
    assert.deepEqual([from, to], [FROM, [TO]]);
    const read = readMail(source);
    checkEnvelope(read);
    assert.equal(read.headers.get('subject'), mail.subject);
    assert.equal(read.text.trimEnd(), mail.text.trimEnd());
    assert.equal(read.html?.trimEnd(), mail.html.trimEnd());
  }
});

test('no text makes a header, an addressee or a part of a mail, and each arrives as it was written', async (t) => {
  const { server, send } = await open(t);
  for (const text of Object.values(HOSTILE_TEXTS)) await send(mailOf('tracking_created', text));
  for (const [index, [name, text]] of Object.entries(HOSTILE_TEXTS).entries()) {
    const { from, to, source } = server.received[index]!;
    assert.deepEqual([from, to], [FROM, [TO]], name);
    assert.match(source, /^[\x20-\x7e\r\n\t]+$/, `${name}: what is no ASCII is encoded`);
    assert.ok(
      source.split('\r\n').every((line) => line.length < 1_000 && !/[\r\n]/.test(line)),
      name,
    );
    const read = readMail(source);
    checkEnvelope(read);
    const mail = mailOf('tracking_created', text);
    assert.equal(read.headers.get('subject'), mail.subject.replace(/ {2,}/g, ' '), name);
    assert.equal(read.text.trimEnd(), mail.text.trimEnd(), name);
    assert.equal(read.html?.trimEnd(), mail.html.trimEnd(), name);
  }
});

test('without a mail server they become files, which go with their organization', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-mail-'));
  try {
    const options = { from: FROM, clock: systemClock, random: createRandomSource() };
    const send = createMailTransport({ ...options, smtpUrl: undefined, outbox: directory });
    const mail = mailOf('tracking_completed');
    await send(mail);
    const [name] = readdirSync(directory);
    assert.match(name!, /^\d{8}T\d{9}Z-7-tracking-[0-9A-Z]{6}\.eml$/);
    const read = readMail(readFileSync(join(directory, name!), 'utf8').replace(/\r?\n/g, '\r\n'));
    checkEnvelope(read);
    assert.equal(read.html?.trimEnd(), mail.html.trimEnd());
    assert.equal(await removeMailsTo(7, directory), 1);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

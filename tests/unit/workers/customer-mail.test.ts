import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { LIMITS } from '../../../schema/limits.ts';
import { noticeTemplatesSchema } from '../../../schema/notices/notice-templates.ts';
import { MAIL_KINDS } from '../../../schema/notices/notification.ts';
import { customerMailOf } from '../../../workers/notifications/customer-mail.ts';
import { HOSTILE_TEXTS } from '../../support/seeds/hostile-texts.ts';
import { noticeFacts } from './notice-facts.ts';

const LINK = 'https://dispatch.example.com/t/abc';

for (const [kind, subject, news] of [
  ['tracking_created', 'Acme has received your order T-1', 'Acme has received your order.'],
  ['tracking_on_the_way', 'Your order T-1 is on its way', 'your order from Acme is on its way.'],
  ['tracking_completed', 'Your order T-1 is completed', 'your order from Acme is completed. Thank you.'],
] as const) {
  test(`a mail of ${kind} says so, with what is known of the order and where to follow it`, () => {
    const mail = customerMailOf(noticeFacts({ kind }), {});
    assert.equal(mail.subject, subject);
    assert.match(mail.text, new RegExp(`^Hello Ada Lovelace,\n\n${news}\n\n`));
    const details = 'Order: T-1\nTime: 22 Nov 2026, 14:00–16:00 UTC\nAddress: 12 Baker Street\n';
    assert.ok(mail.text.includes(`\n${details}\n`), mail.text);
    assert.match(mail.text, new RegExp(`^${LINK}$`, 'm'));
    for (const text of [news.slice(-10), 'T-1', '22 Nov 2026, 14:00–16:00 UTC', '12 Baker Street', `<a href="${LINK}"`])
      assert.ok(mail.html.includes(text), text);
  });
}

test('a mail says when the courier is expected once it is on its way, in the zone of the sender', () => {
  const letterhead = { name: 'Acme', timeZone: 'Europe/Berlin', contact: { phone: null, email: null } };
  const expected = { etaAt: '2026-11-22T14:20:31.000Z' };
  const { text } = customerMailOf(noticeFacts({ kind: 'tracking_on_the_way', letterhead }, expected), {});
  assert.match(text, /^Expected: 22 Nov 2026, 15:20 CET$/m);
  for (const [kind, task] of [
    ['tracking_on_the_way', {}],
    ['tracking_on_the_way', { etaAt: '2026-11-22T12:58:59.999Z' }],
    ['tracking_created', expected],
    ['tracking_completed', expected],
  ] as const)
    assert.doesNotMatch(customerMailOf(noticeFacts({ kind }, task), {}).text, /Expected/);
});

test('an unknown fact of an order is left out', () => {
  const nothing = { trackingUrl: null, timeWindowStart: null, timeWindowEnd: null, address: null };
  const { text, html } = customerMailOf(noticeFacts({ kind: 'tracking_created', customerName: null }, nothing), {});
  assert.match(text, /^Hello customer,\n\nAcme has received your order\.\n\nOrder: T-1\n\nThis address was given/);
  assert.doesNotMatch(html, /null|undefined|href|Address|>Time</);
});

test('an organization says it in its own words, each placeholder filled, and keeps what it has no words for', () => {
  const facts = noticeFacts({ kind: 'tracking_created' });
  const introduction = '{{ customerName }}/{{taskCode}}/{{organizationName}}\n{{window}}\r\n\r\n{{trackingUrl}}';
  const mail = customerMailOf(facts, { created: { subject: 'Hi {{customerName}}', introduction } });
  assert.equal(mail.subject, 'Hi Ada Lovelace');
  assert.ok(mail.text.startsWith(`Ada Lovelace/T-1/Acme\n22 Nov 2026, 14:00–16:00 UTC\n\n${LINK}\n\n`), mail.text);
  assert.match(mail.html, /Acme<\/span><br>/);
  const { subject, text } = customerMailOf(facts, { created: { subject: 'Hi' }, completed: { subject: 'Bye' } });
  assert.equal(subject, 'Hi');
  assert.match(text, /has received your order/);
});

test('a mail gives the times in the zone of its sender, and the ways to reach them', () => {
  const contact = { phone: '+49 30 901820', email: 'help@acme.example' };
  const letterhead = { name: 'Acme', timeZone: 'Europe/Berlin', contact };
  const { text, html } = customerMailOf(noticeFacts({ kind: 'tracking_created', letterhead }), {});
  assert.match(text, /^Time: 22 Nov 2026, 15:00–17:00 CET$/m);
  assert.match(text, /please turn to Acme: \+49 30 901820, help@acme\.example\.$/m);
  assert.match(html, /please turn to <span dir="auto">Acme<\/span>: \+49 30 901820, help@acme\.example\./);
});

test('braces in a value are not filled', () => {
  const name = '{{taskCode}} {{nothing}}';
  const { subject } = customerMailOf(noticeFacts({ kind: 'tracking_created', organizationName: name }), {});
  assert.equal(subject, '{{taskCode}} {{nothing}} has received your order T-1');
});

test('no text of any kind leaves its place in a mail', () => {
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    for (const kind of MAIL_KINDS) {
      const facts = noticeFacts({ kind, organizationName: text, customerName: text }, { code: text, address: text });
      const mail = customerMailOf(facts, {});
      assert.match(mail.subject, /^[^\p{Cc}\u202a-\u202e\u2028\u2029]+$/u, name);
      assert.ok(mail.subject.length <= LIMITS.mailSubjectChars && mail.subject.isWellFormed(), name);
      assert.equal(mail.text.split('\n').length, 13, `${name}: ${mail.text}`);
      assert.match(mail.text, /^[^\u202a-\u202e\u2028\u2029]+$/, name);
      // The text forms neither a tag nor the end of an attribute.
      assert.equal(mail.html.match(/</g)?.length, TAGS[kind], name);
    }
  }
});

const TAGS = Object.fromEntries(
  MAIL_KINDS.map((kind) => [kind, customerMailOf(noticeFacts({ kind }), {}).html.match(/</g)!.length]),
);

test('a right-to-left text does not turn the words around it', () => {
  const facts = noticeFacts({ kind: 'tracking_created', organizationName: 'شركة', customerName: 'محمد' });
  const { subject, text, html } = customerMailOf(facts, {});
  assert.equal(subject, '\u2068شركة\u2069 has received your order T-1');
  assert.match(text, /^Hello \u2068محمد\u2069,\n\n\u2068شركة\u2069 has received/);
  assert.match(html, /Hello <span dir="auto">محمد<\/span>,/);
});

test("an organization's own words are text as well", () => {
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    const templates = { created: { subject: text, introduction: text } };
    if (!v.is(noticeTemplatesSchema, templates)) continue;
    const { html, subject } = customerMailOf(noticeFacts({ kind: 'tracking_created' }), templates);
    assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]/u, name);
    assert.doesNotMatch(html, /<(?!\/?(?:html|head|meta|title|body|table|tr|td|p|br|a|span)\b|!DOCTYPE html>)/, name);
    assert.equal(html.match(/<meta/g)?.length, 4, name);
  }
});

test('a typed text that looks like an address does not become a link', () => {
  const facts = noticeFacts({
    kind: 'tracking_created',
    customerName: 'You won! www.evil.example or http://1.2.3.4 me@evil.example',
  });
  const { text, html } = customerMailOf(facts, {});
  for (const part of [text, html]) assert.doesNotMatch(part, /evil\.example|http:\/\/1|me@e/);
  assert.match(text, /^Hello You won! www\.\u200bevil\.\u200bexample/);
});

test('a link that is none of ours is left out', () => {
  for (const trackingUrl of ['javascript:alert(1)', '/t/abc', 'https://a b', 'https://']) {
    const { text, html } = customerMailOf(noticeFacts({ kind: 'tracking_created' }, { trackingUrl }), {});
    assert.doesNotMatch(text + html, /Follow your order|href/, trackingUrl);
  }
});

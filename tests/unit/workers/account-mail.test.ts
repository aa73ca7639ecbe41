import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountMailOf } from '../../../workers/notifications/account-mail.ts';
import { HOSTILE_TEXTS } from '../../support/seeds/hostile-texts.ts';

const TOKEN = `dw_${'A'.repeat(40)}`;
const URL = `https://dispatch.example.com/account/welcome?token=${TOKEN}`;
const contact = { phone: '+44 20 7946 0958', email: 'help@acme.example' };
const facts = (name: string, firstName = name) => ({
  firstName,
  letterhead: { name, timeZone: 'UTC', contact },
  token: TOKEN,
  publicUrl: 'https://dispatch.example.com',
});

test('a mail of welcome says who made the account, what to do, and whom to turn to', () => {
  const { subject, text, html } = accountMailOf('welcome', facts('Acme', 'Ada'));
  assert.equal(subject, 'Welcome to Acme: choose your password');
  assert.equal(
    text,
    `Hello Ada,

Acme has made an account for you. Choose a password, and you can sign in.

Choose your password:
${URL}

The link works once, within 24 hours. If you did not expect this mail, ignore it.

Answers to this mail are not read; please turn to Acme: +44 20 7946 0958, help@acme.example.
`,
  );
  assert.ok(html.includes(`<a href="${URL}"`));
});

test('a super admin, who is in no organization, gets the same from the platform', () => {
  const { text } = accountMailOf('reset_password', { ...facts('', ''), letterhead: undefined });
  assert.match(
    text,
    /^Hello,\n\nSomebody, you we hope, asked for a new password for your account with Last-mile dispatch\./,
  );
});

test('no name brings a link of its own into a mail, or anything that is more than text', () => {
  const names = { ...HOSTILE_TEXTS, 'a link': 'Win now https://evil.example/x', 'an address': 'www.evil.example' };
  for (const [what, name] of Object.entries(names)) {
    const { subject, text, html } = accountMailOf('welcome', facts(name));
    assert.doesNotMatch(subject, /[\r\n]/, what);
    for (const part of [text, html]) assert.deepEqual(part.match(/https?:\/\/[!-~]+?(?=[\s"<]|$)/gm), [URL], what);
    assert.doesNotMatch(html, /<(?!\/?(?:html|head|meta|title|body|table|tr|td|p|br|a|span)\b|!DOCTYPE html>)/, what);
  }
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { html } from '../../../../engine/views/parts/html.ts';
import { buttonLink, screenOf } from '../../../../gateway/pages/screen.ts';

const EVIL = `"><script>alert('1')</script>&`;
const digest = (text: string) => createHash('sha256').update(text).digest('base64');

test('any text on a page stays text', () => {
  const screen = screenOf({});
  const note = screen.note({ title: EVIL, text: EVIL, actions: buttonLink(EVIL, EVIL), reloadSeconds: 3 });
  const letterhead = { name: EVIL, timeZone: 'UTC', contact: { phone: EVIL, email: EVIL } };
  const page = screen.page({ title: EVIL, letterhead, main: html`${EVIL}` });
  for (const text of [note, page]) assert.doesNotMatch(text, /<script|'1'|"">/);
  assert.equal(note.match(/&lt;script&gt;/g)?.length, 5);
  assert.equal(page.match(/&lt;script&gt;/g)?.length, 5);
});

test('the policy of a page names the digests of the style and the script that it holds, and nothing else', () => {
  const screen = screenOf({ style: 'p{margin:0}', script: 'void 0', sources: { 'form-action': "'self'" } });
  const page = screen.page({ title: 'T', main: html`` });
  const [, style] = /<style>([^<]*)<\/style>/.exec(page)!;
  const [, script] = /<script>([^<]*)<\/script>/.exec(page)!;
  const policy = screen.headers.find(([name]) => name === 'Content-Security-Policy')![1];
  assert.deepEqual(policy.split('; '), [
    "default-src 'none'",
    `style-src 'sha256-${digest(style!)}'`,
    `script-src 'sha256-${digest(script!)}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]);
});

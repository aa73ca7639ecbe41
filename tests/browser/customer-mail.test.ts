import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customerMailOf } from '../../workers/notifications/customer-mail.ts';
import { useBrowser, WITH_BROWSER } from '../support/browser.ts';
import { HOSTILE_TEXTS } from '../support/seeds/hostile-texts.ts';
import { noticeFacts } from '../unit/workers/notice-facts.ts';

const chrome = useBrowser();

/** The texts beside the card of the mail, and whether anything in it runs or leads elsewhere. */
const LOOK = `(() => {
  const card = document.querySelectorAll('table')[1].getBoundingClientRect();
  const all = [...document.querySelectorAll('body *')];
  return {
    title: document.title,
    width: document.documentElement.scrollWidth,
    outside: all.filter((element) => element.closest('table td table')).filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return left < card.left - 1 || right > card.right + 1;
    }).map((element) => element.outerHTML.slice(0, 80)),
    links: [...new Set([...document.querySelectorAll('[href], [src], form')].map((element) => element.getAttribute('href')))],
    names: [...new Set(all.map(({ localName }) => localName))].sort(),
  };
})()`;

interface Look {
  readonly title: string;
  readonly width: number;
  readonly outside: readonly string[];
  readonly links: readonly string[];
  readonly names: readonly string[];
}

for (const width of [320, 1_000]) {
  test(`no text comes alive in a mail ${width} px wide, or leaves its place`, WITH_BROWSER, async () => {
    const page = await chrome.browser.newPage({ viewport: { width, height: 700 } });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('dialog', (dialog) => asked.push(dialog.message()));
    for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
      const people = { organizationName: text, customerName: text };
      const facts = noticeFacts({ kind: 'tracking_created', ...people }, { code: text, address: text });
      const mail = customerMailOf(facts, {});
      await page.setContent(mail.html);
      const { title, outside, links, names, ...look } = await page.evaluate<Look>(LOOK);
      assert.equal(look.width, width, name);
      assert.deepEqual(outside, [], name);
      assert.deepEqual(links, ['https://dispatch.example.com/t/abc'], name);
      assert.deepEqual(names, ['a', 'p', 'span', 'table', 'tbody', 'td', 'tr'], name);
      assert.equal(title, mail.subject.replace(/ {2,}/g, ' '), name);
    }
    assert.deepEqual(asked, []);
    await page.close();
  });
}

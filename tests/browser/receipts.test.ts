import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TaskView } from '../../schema/tasks/task-view.ts';
import { useGateway } from '../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../support/browser.ts';
import { HOSTILE_TEXTS } from '../support/seeds/hostile-texts.ts';

const texts = Object.values(HOSTILE_TEXTS);
/** Names of several scripts, some of them in one word too long for a line. */
const NAMES = [
  'محمد </b> الأنصاري',
  'محمد</b>الأنصاري'.repeat(12),
  'משה (</b>) כהן </b>',
  '東京都千代田区丸の内一丁目グラントウキョウノースタワー'.repeat(4),
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(3),
];
let hostile: readonly TaskView[] = [];
let named: readonly TaskView[] = [];

const fixture = useGateway({ organization: { role: 'dispatcher' } }, async () => {
  hostile = await Promise.all(texts.map(createTaskOf));
  named = await Promise.all(NAMES.map(createTaskOf));
});
const chrome = useBrowser();
const WIDTHS = [
  ['80mm', 80],
  ['58mm', 58],
] as const;
const MM_OF_POINT = 25.4 / 72;

/** A receipt as a browser shows it. A page that asks for anything else than itself would be heard of. */
async function open(path: string): Promise<{ readonly page: Page; readonly asked: string[] }> {
  const { baseUrl, key } = fixture.gateway;
  const page = await chrome.browser.newPage({ extraHTTPHeaders: { 'x-api-key': key } });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  page.on('dialog', (dialog) => asked.push(dialog.message()));
  await page.goto(`${baseUrl}/api/v1${path}`);
  return { page, asked };
}

async function createTaskOf(text: string, index: number): Promise<TaskView> {
  const phone = `+4420794600${index + 10}`;
  const task = await fixture.api.createTask({
    name: text,
    code: text,
    description: text,
    notes: text,
    customer: { name: text, phone },
    location: { address: text, latitude: 1, longitude: 2, building: text, floor: text, apartment: text },
    packages: [{ name: text, notes: text, barcode: text }],
  });
  const amended = await fixture.api.post(`/tasks/${task.id}/amend`, { contact: { name: text, phone } });
  assert.equal(amended.status, 200, amended.text);
  return task;
}

/** The visible form of a text: single white space, and no controls or overrides of direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202d\u202e]/g;
const asShown = (text: string) => text.replace(/\r\n?/g, '\n').replace(CONTROLS, '\ufffd').replace(/\s+/g, ' ').trim();

/** Where an element ends outside of the paper, and what each receipt says, field by field. */
const LOOK = `[...document.querySelectorAll('article')].map((article) => {
  const paper = article.getBoundingClientRect();
  const all = [...article.querySelectorAll('*')];
  return {
    outside: all.filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return left < paper.left - 1 || right > paper.right + 1;
    }).map((element) => element.outerHTML.slice(0, 80)),
    fields: [...article.querySelectorAll('p, dd, bdi')].map((element) => element.textContent.replace(/\\s+/g, ' ').trim()),
  };
})`;

test('no text comes alive on the narrowest paper, leaves it or is lost', WITH_BROWSER, async () => {
  const { page, asked } = await open(`/tasks/print/receipts?width=58mm&ids=${hostile.map(({ id }) => id)}`);
  const receipts = await page.evaluate<{ outside: string[]; fields: string[] }[]>(LOOK);
  assert.equal(receipts.length, texts.length);
  for (const [index, { name }] of hostile.entries()) {
    const { outside, fields } = receipts[index]!;
    assert.deepEqual(outside, [], name);
    const times = fields.filter((field) => field === asShown(name)).length;
    // name, code, description, notes, customer, contact, address, building, floor, apartment, package with barcode and notes
    assert.equal(times, 13, `shown ${times} times: ${name} in ${JSON.stringify(fields)}`);
  }
  assert.equal(await page.title(), `${texts.length} receipts`);
  assert.deepEqual(asked, ['/api/v1/tasks/print/receipts']);
  await page.close();
});

for (const [width, mm] of WIDTHS) {
  test(`each receipt is a page of paper of ${width}`, WITH_BROWSER, async () => {
    const { api } = fixture;
    const tasks = [await api.createTask(), await api.createTask()];
    const { page } = await open(`/tasks/print/receipts?width=${width}&ids=${tasks.map(({ id }) => id)}`);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const widths = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) /g)].map(([, points]) => Number(points) * MM_OF_POINT);
    assert.equal(widths.length, tasks.length);
    for (const printed of widths) assert.ok(Math.abs(printed - mm) < 0.5, `${printed} mm`);
    await page.close();
  });
}

/** Texts with glyphs outside of the paper, and the places of the signs of `</b>` where they stand. */
const GLYPHS = `(() => {
  const outside = [];
  const tags = [];
  for (const article of document.querySelectorAll('article')) {
    const paper = article.getBoundingClientRect();
    const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const range = document.createRange();
      range.selectNodeContents(node);
      const isOut = ({ left, right }) => left < paper.left - 1 || right > paper.right + 1;
      if ([...range.getClientRects()].some(isOut)) outside.push(node.data.slice(0, 40));
      const at = node.data.indexOf('</b>');
      if (at < 0) continue;
      tags.push([0, 1, 2, 3].map((sign) => {
        range.setStart(node, at + sign);
        range.setEnd(node, at + sign + 1);
        const { left, top } = range.getBoundingClientRect();
        return { left, top };
      }));
    }
  }
  return { outside, tags };
})()`;

for (const [width] of WIDTHS) {
  test(
    `names of any script stay on paper of ${width}, and a tag in one of them keeps its order`,
    WITH_BROWSER,
    async () => {
      const { page } = await open(`/tasks/print/receipts?width=${width}&ids=${named.map(({ id }) => id)}`);
      const { outside, tags } = await page.evaluate<{ outside: string[]; tags: { left: number; top: number }[][] }>(
        GLYPHS,
      );
      assert.deepEqual(outside, []);
      assert.ok(tags.length >= 3 * 10, `${tags.length} tags`);
      // A tag that does not fit goes on at the left of the next line.
      for (const signs of tags)
        for (const [index, { left, top }] of signs.entries()) {
          const before = signs[index - 1];
          assert.ok(!before || top > before.top || left > before.left, JSON.stringify(signs));
        }
      await page.close();
    },
  );
}

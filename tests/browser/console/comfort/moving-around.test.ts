import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { AgentView } from '../../../../schema/fleet/agent.ts';
import { createAgent } from '../../../api/agents/agent-place.ts';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { until } from '../../../support/until.ts';
import { openConsole, type PageOptions, seedDispatcher, signIn, useConsolePage } from '../console-place.ts';

let amina: AgentView;
const fixture = useGateway({ organization: { role: 'dispatcher' } }, async ({ api }) => {
  amina = await createAgent(api, { name: 'Amina Diallo' });
  await api.createTask({ name: 'Waits', customer: { name: 'Waits', phone: '+442079460091' } });
});
const chrome = useBrowser();
const PHONE = { width: 390, height: 844 };

const openPage = useConsolePage(chrome, fixture);

async function open(options: PageOptions = {}): Promise<Page> {
  const { page } = await openPage(options);
  await page.locator('.task-row').first().waitFor();
  return page;
}

async function untilAt(page: Page, address: string): Promise<void> {
  const at = () => page.evaluate<string>('location.pathname + location.search');
  await until(`the page is at ${address}`, async () => (await at()) === address);
}

const go = (page: Page, by: number) => page.evaluate(`history.go(${by})`);

test('back and forward go through what was seen, one step each, also several at once', WITH_BROWSER, async () => {
  const page = await open();
  const views = page.getByRole('navigation', { name: 'Views' });
  const length = () => page.evaluate<number>('history.length');
  const before = await length();
  await views.getByRole('link', { name: 'Couriers' }).click();
  await page.getByRole('link', { name: 'Amina Diallo' }).click();
  await page.locator('.courier-facts').waitFor();
  await views.getByRole('link', { name: 'Dispatch' }).click();
  await page.locator('.task-row').first().click();
  await page.locator('.panel').waitFor();
  assert.equal(await length(), before + 4, 'couriers, the courier, the list and the task');
  const task = new URL(page.url()).pathname + new URL(page.url()).search;
  const addresses = ['/console', '/console/couriers', `/console/couriers/${amina.id}`, '/console', task];
  for (const address of addresses.slice(0, -1).reverse()) {
    await go(page, -1);
    await untilAt(page, address);
  }
  await go(page, 4);
  await untilAt(page, task);
  await page.locator('.panel').waitFor();
  await go(page, -2);
  await untilAt(page, `/console/couriers/${amina.id}`);
  await page.locator('.courier-facts').waitFor();
  await go(page, 2);
  await untilAt(page, task);
});

test('on a phone that shows the map, a figure leads to its list', WITH_BROWSER, async () => {
  const options = { viewport: PHONE, hasTouch: true, drawsMap: true };
  const { page } = await openConsole(chrome.browser, fixture.gateway.baseUrl, options);
  await signIn(page, await seedDispatcher(fixture, fixture.gateway.organizationId));
  await page.locator('.panes').getByRole('button', { name: 'Map' }).click();
  await page.locator('.tasks').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Unassigned' }).click();
  await page.locator('.task-row').filter({ hasText: 'Waits' }).waitFor();
  await page.context().close();
});

/** The stops of the tab key, once around the page, by their words. Those under something else are marked. */
async function stopsOf(page: Page): Promise<string[]> {
  const stops: string[] = [];
  for (let count = 0; count < 60; count++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate<string>(`(() => {
      const element = document.activeElement;
      if (element === document.body) return '';
      const { left, top, width, height } = element.getBoundingClientRect();
      const there = document.elementFromPoint(left + width / 2, top + height / 2);
      // A figure at the edge may still be on its way into sight.
      const isSeen = there === null || element.contains(there) || there.contains(element);
      return (isSeen ? '' : 'HIDDEN ') + (element.ariaLabel || element.id || element.textContent);
    })()`);
    if (stops.includes(stop)) return stops;
    stops.push(stop);
  }
  return stops;
}

test(
  'on a phone no key leads under the panel, and the row has the focus again when it closes',
  WITH_BROWSER,
  async () => {
    const page = await open({ viewport: PHONE });
    const row = page.locator('.task-row').filter({ hasText: 'Waits' });
    const hasFocus = () => row.evaluate((element) => element === element.ownerDocument.activeElement);
    for (const view of ['map', 'board']) {
      if (view === 'board') await page.getByRole('link', { name: 'Board' }).click();
      await row.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'Task' }).getByRole('button', { name: 'Change' }).waitFor();
      const stops = await stopsOf(page);
      assert.ok(stops.includes('Close'), stops.join(' | '));
      assert.deepEqual(
        stops.filter((stop) => /^HIDDEN|search|^Late|^Tasks$|^Map$/.test(stop)),
        [],
        view,
      );
      await page.keyboard.press('Escape');
      await until(`the row has the focus again: ${view}`, hasFocus);
    }
    await page.keyboard.press('n');
    await page.locator('#new-name:focus').waitFor();
    assert.deepEqual(
      (await stopsOf(page)).filter((stop) => /^HIDDEN|^Tasks$|^Map$/.test(stop)),
      [],
      'a new task',
    );
    await page.keyboard.press('Escape');
  },
);

test(
  'at 400 % zoom the page scrolls past its bars to the tasks, and a key brings them into sight',
  WITH_BROWSER,
  async () => {
    const page = await open({ viewport: { width: 320, height: 256 } });
    const seen = (selector: string) =>
      page.evaluate<number>(`[...document.querySelectorAll('${selector}')].filter((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  }).length`);
    const scroll = (to: string) => page.evaluate(`scrollTo(0, ${to})`);
    await scroll('0');
    await page.locator('.panes').scrollIntoViewIfNeeded();
    assert.equal(await seen('.panes button'), 2);
    await scroll('document.body.scrollHeight');
    assert.equal(await seen('.task-row'), 1);
    await scroll('0');
    await page.keyboard.press('j');
    await until('the key shows the task', async () => (await seen('.task-row')) === 1);
    await page.getByRole('link', { name: 'Board' }).click();
    await page.locator('.board .task-row').waitFor();
    await scroll('document.body.scrollHeight');
    assert.equal(await seen('.board .task-row'), 1);
    assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 320);
    await page.keyboard.press('n');
    await page.locator('#new-name:focus').waitFor();
    assert.deepEqual(
      (await stopsOf(page)).filter((stop) => stop.startsWith('HIDDEN')),
      [],
    );
  },
);

test('where the reader has colours of his own, the system tells what is chosen', WITH_BROWSER, async () => {
  const page = await open({ forcedColors: 'active' });
  const colorOf = (selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
  const isMarked = async (chosen: string) => assert.equal(await colorOf(chosen), highlight, chosen);
  await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<mark></mark>')`);
  await page.evaluate(`document.querySelector('mark').style.backgroundColor = 'Highlight'`);
  const highlight = await colorOf('mark');
  await isMarked('.top nav a[aria-current]');
  await page.getByRole('button', { name: 'Done today' }).click();
  await isMarked('.toggle[aria-pressed=true]');
  await page
    .locator('.task-row')
    .first()
    .click({ modifiers: ['Control'] });
  await isMarked('.task-row.selected');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await isMarked('.choice[aria-selected=true]');
});

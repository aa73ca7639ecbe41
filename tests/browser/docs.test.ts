import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../support/browser.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { loadAxe } from './load-axe.ts';

const fixture = useGateway();
const chrome = useBrowser();

const LAPTOP = { viewport: { width: 1366, height: 800 }, colorScheme: 'dark' } as const;
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'light' } as const;

/** Opens a page as a reader at a laptop in the dark; `problems` gathers errors of its console, and requests to other origins. */
async function open(path: string) {
  const page = await chrome.browser.newPage(LAPTOP);
  page.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${fixture.gateway.baseUrl}/`) && !url.startsWith('data:')) problems.push(url);
  });
  await page.goto(`${fixture.gateway.baseUrl}${path}`);
  return { page, problems };
}

/** Asserts that the page fits its screen and breaks no accessibility rule that keeps people out. */
async function assertOpenToAll(page: Page, where: string): Promise<void> {
  await loadAxe(page);
  const barriers = await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' ')).slice(0, 5)]))`);
  assert.deepEqual(barriers, [], where);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), page.viewportSize()!.width, where);
}

/** The same page on a phone in the light, once its colours are there: some of them take their time. */
async function turnToPhone(page: Page): Promise<void> {
  await page.setViewportSize(PHONE.viewport);
  await page.emulateMedia({ colorScheme: PHONE.colorScheme });
  await page.evaluate(`new Promise(requestAnimationFrame)
    .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
    .then(() => {})`);
}

test(
  'the start page and guides fit the screens of a laptop and of a phone and keep nobody out, dark and light',
  WITH_BROWSER,
  async () => {
    for (const path of ['/', '/docs/guides', '/docs/errors', '/docs/guides/webhooks']) {
      const { page, problems } = await open(path);
      await assertOpenToAll(page, `${path} at a laptop`);
      await turnToPhone(page);
      await assertOpenToAll(page, `${path} on a phone`);
      assert.deepEqual(problems, [], path);
      await page.close();
    }
  },
);

test(
  "the reference calls the API with the reader's key, and keeps nobody out, at a laptop and on a phone",
  WITH_BROWSER,
  async () => {
    const { page, problems } = await open('/docs');
    await page.locator('#operations-tag-Tasks').click();
    await page.locator('#operations-Tasks-listTasks button').first().click();
    const authorize = page.getByRole('button', { name: 'Authorize' }).first();
    await authorize.click();
    await page.locator('.auth-container input').first().fill(fixture.gateway.key);
    await page.locator('.auth-container button.authorize').first().click();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    const execute = page.getByRole('button', { name: 'Execute' });
    await execute.click();
    const status = page.locator('.live-responses-table tbody .response-col_status').first();
    assert.match((await status.textContent()) ?? '', /^200/);
    await assertOpenToAll(page, 'at a laptop');
    await turnToPhone(page);
    await assertOpenToAll(page, 'on a phone');
    // A finger reaches the controls there, too.
    for (const control of [authorize, execute]) await control.click({ trial: true });
    assert.deepEqual(problems, []);
    await page.close();
  },
);

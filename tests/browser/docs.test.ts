import assert from 'node:assert/strict';
import { test } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { useGateway } from '../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../support/browser.ts';
import { PATIENCE_MS } from '../support/until.ts';

const fixture = useGateway();
const chrome = useBrowser();

const LAPTOP = { width: 1366, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Opens a page; `problems` gathers errors of its console, and requests to other origins. */
async function open(path: string, viewport: typeof PHONE, colorScheme: 'light' | 'dark') {
  const page = await chrome.browser.newPage({ viewport, colorScheme });
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

/** The violations of accessibility rules that keep people out. */
async function barriers(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' ')).slice(0, 5)]))`);
}

for (const [colorScheme, viewport] of [
  ['light', PHONE],
  ['dark', LAPTOP],
] as const) {
  test(
    `the start page and guides fit a screen of ${viewport.width} px and keep nobody out, ${colorScheme}`,
    WITH_BROWSER,
    async () => {
      for (const path of ['/', '/docs/guides', '/docs/errors', '/docs/guides/webhooks']) {
        const { page, problems } = await open(path, viewport, colorScheme);
        assert.deepEqual(await barriers(page), [], path);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width, path);
        assert.deepEqual(problems, [], path);
        await page.close();
      }
    },
  );

  test(
    `the reference calls the API with the reader's key, and keeps nobody out, ${colorScheme}`,
    WITH_BROWSER,
    async () => {
      const { page, problems } = await open('/docs', viewport, colorScheme);
      await page.locator('#operations-tag-Tasks').click();
      await page.locator('#operations-Tasks-listTasks button').first().click();
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.locator('.auth-container input').first().fill(fixture.gateway.key);
      await page.locator('.auth-container button.authorize').first().click();
      await page.getByRole('button', { name: 'Close' }).first().click();
      await page.getByRole('button', { name: 'Try it out' }).click();
      await page.getByRole('button', { name: 'Execute' }).click();
      const status = page.locator('.live-responses-table tbody .response-col_status').first();
      assert.match((await status.textContent()) ?? '', /^200/);
      assert.deepEqual(await barriers(page), []);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width);
      assert.deepEqual(problems, []);
      await page.close();
    },
  );
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createAgent } from '../../../api/agents/agent-place.ts';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { useConsolePage } from '../console-place.ts';

const fixture = useGateway({ organization: { role: 'dispatcher' } }, async ({ api }) => {
  await createAgent(api, { name: 'Amina Diallo' });
  await api.createTask({ name: 'Waits', customer: { name: 'Waits', phone: '+442079460091' } });
});
const chrome = useBrowser();

const openPage = useConsolePage(chrome, fixture);

async function open(): Promise<Page> {
  const { page } = await openPage();
  await page.locator('.task-row').first().waitFor();
  return page;
}

const pathOf = (page: Page) => new URL(page.url()).pathname;

test(
  'Escape closes the menu of the account alone, and what is open behind it with the next press',
  WITH_BROWSER,
  async () => {
    const page = await open();
    await page.locator('.task-row').click();
    await page.locator('.panel').waitFor();
    await page.locator('.task-row').click({ modifiers: ['Control'] });
    await page.getByText('1 selected').waitFor();
    await page.locator('.avatar').click();
    await page.locator('.account .menu').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.account .menu').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('1 selected').count(), 1);
    await page.keyboard.press('Escape');
    await page.getByText('1 selected').waitFor({ state: 'detached' });
    assert.equal(await page.locator('.panel').count(), 1);
  },
);

test(
  'a click with a modifier opens a link of the console in another tab, and this one stays',
  WITH_BROWSER,
  async (context) => {
    const page = await open();
    // That it is opened is enough: the other tab gets an empty page.
    await page
      .context()
      .route('**/console**', (route) =>
        route.request().isNavigationRequest()
          ? route.fulfill({ contentType: 'text/html', body: '' })
          : route.continue(),
      );
    context.after(() => page.context().unrouteAll());
    const opened = async (path: string, modifier: 'Control' | 'Shift') => {
      const other = page.context().waitForEvent('page');
      await page.locator(`a[href^="${path}"]`).click({ modifiers: [modifier] });
      await (await other).waitForURL(`**${path}*`);
      await (await other).close();
    };
    for (const modifier of ['Control', 'Shift'] as const) await opened('/console/board', modifier);
    assert.equal(pathOf(page), '/console');
    await page.getByRole('link', { name: 'Couriers' }).click();
    await opened('/console/couriers/', 'Control');
    assert.equal(pathOf(page), '/console/couriers');
    await page.getByRole('link', { name: 'Settings' }).click();
    const first = page.locator('.settings nav [aria-current]');
    const chosen = await first.textContent();
    await opened('/console/settings/assignment', 'Control');
    assert.equal(await first.textContent(), chosen);
  },
);

test('keys that end or leave the composing of a word choose nothing, and keep the search', WITH_BROWSER, async () => {
  const page = await open();
  const compose = (field: Locator, key: string) => field.dispatchEvent('keydown', { key, isComposing: true });
  const search = page.getByLabel('Search tasks');
  await search.fill('Waits');
  for (const key of ['Enter', 'Escape']) await compose(search, key);
  assert.equal(await page.locator('#search:focus').count(), 1);
  assert.equal(await search.inputValue(), 'Waits');

  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog').getByRole('combobox');
  await palette.fill('Board');
  await compose(palette, 'Enter');
  assert.equal(await palette.count(), 1);
  await palette.press('Enter');
  await page.waitForURL('**/console/board');
});

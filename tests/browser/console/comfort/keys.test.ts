import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { pressChord, useConsolePage } from '../console-place.ts';

const fixture = useGateway({ organization: { role: 'dispatcher' } }, async ({ api }) => {
  for (const [index, name] of ['First stop', 'Second stop'].entries())
    await api.createTask({ name, customer: { name, phone: `+44207946010${index}` } });
});
const chrome = useBrowser();
const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });

const openPage = useConsolePage(chrome, fixture);

async function open(): Promise<Page> {
  const { page } = await openPage();
  await row(page, 'Second stop').waitFor();
  return page;
}

test('a key changes the open task while the keyboard is at it, and no other', WITH_BROWSER, async () => {
  const page = await open();
  const form = page.locator('.panel').getByRole('heading', { name: 'Change “First stop”' });
  await pressChord(page, 'g', 'b');
  await row(page, 'First stop').click();
  await page.locator('.panel .actions').waitFor();
  await row(page, 'Second stop').focus();
  await page.keyboard.press('e');
  // The key after it is handled after it.
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  assert.equal(await form.count(), 0);
  await page.keyboard.press('Escape');
  await row(page, 'First stop').focus();
  await page.keyboard.press('e');
  await form.waitFor();
});

test('a key that is held acts once, and goes on where it moves', WITH_BROWSER, async () => {
  const page = await open();
  const hold = async (key: string) => {
    for (let times = 0; times < 2; times++) await page.keyboard.down(key);
    await page.keyboard.up(key);
  };
  await hold('j');
  await page.locator('.task-row.cursor').filter({ hasText: 'Second stop' }).waitFor();
  await hold('x');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  assert.equal(await page.locator('.task-row.selected').count(), 1);
});

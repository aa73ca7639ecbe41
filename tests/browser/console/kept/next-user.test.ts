import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { endSessionsOf } from '../../../../engine/store/accounts/operator-store.ts';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { seedUser, withSql } from '../../../support/seeds/seed.ts';
import { openConsole, PASSWORD, pressChord, signIn } from '../console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();
const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Many tasks from a table' });
const SECRET = 'Customer Of The First';
const TABLE = `customer,phone,address,lat,lng\n${SECRET},+44 20 7946 0001,Low St 1,51.5,-0.13`;

/** An organization with a task, and a user who signs in on the page. */
async function seedPlace(name: string) {
  const { organizationId, api } = await fixture.organization();
  const task = await api.createTask({ name, customer: { name, phone: '+442079460001' } });
  const user = await seedUser(fixture.gateway.databaseUrl, organizationId, 'org_admin', PASSWORD);
  return { api, task, user, organizationId };
}

/** Leaves something typed in each place that keeps it: a search, a courier, a change of a task, a new task and a table. */
async function typeEverywhere(page: Page): Promise<void> {
  await pressChord(page, 'g', 'c');
  await page.getByRole('button', { name: 'Add a courier' }).first().click();
  await page.getByLabel('Name').fill(SECRET);
  await page.keyboard.press('Escape');
  await pressChord(page, 'g', 'm');
  await page.getByLabel('Search tasks').fill('First');
  await row(page, 'First').click();
  await page.locator('.panel .actions').waitFor();
  await page.keyboard.press('e');
  await page.getByLabel('Notes').fill(SECRET);
  await page.locator('.panel h2').click();
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('What').fill(SECRET);
  await page.getByRole('complementary').getByRole('button', { name: 'Many tasks from a table' }).click();
  await sheet(page).getByRole('textbox', { name: 'Table' }).fill(TABLE);
  await sheet(page).getByRole('button', { name: 'Look at it' }).click();
  await sheet(page).getByText('1 line').first().waitFor();
}

test(
  'text that was typed before a session has ended stays for the same user, and no other user meets it',
  WITH_BROWSER,
  async () => {
    const [first, second] = [await seedPlace('Of The First'), await seedPlace('Of The Second')];
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    const endSession = async () => {
      await withSql(fixture.gateway.databaseUrl, (sql) => endSessionsOf(sql, first.organizationId, first.user.userId));
      await page.getByText('Your session has ended').waitFor();
    };
    await signIn(page, first.user);
    await row(page, 'Of The First').waitFor();
    await typeEverywhere(page);

    await endSession();
    await signIn(page, first.user);
    await sheet(page).getByText('1 line').first().waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByLabel('What').inputValue(), SECRET);
    assert.equal(await page.getByLabel('Search tasks').inputValue(), 'First');
    await page.locator('.panel').getByRole('button', { name: 'Close' }).click();
    await page.locator('.panel').getByText('Change “Of The First”').waitFor();
    assert.equal(await page.getByLabel('Notes').inputValue(), SECRET);

    await page.keyboard.press('n');
    await page.getByRole('complementary').getByRole('button', { name: 'Many tasks from a table' }).click();
    await sheet(page).getByText('1 line').first().waitFor();
    await endSession();
    await signIn(page, second.user);
    await row(page, 'Of The Second').waitFor();
    assert.equal(new URL(page.url()).search, '');
    assert.equal(await page.getByLabel('Search tasks').inputValue(), '');
    assert.equal(await sheet(page).count(), 0);
    assert.equal(await page.locator('.panel, .selection').count(), 0);
    await page.keyboard.press('n');
    assert.equal(await page.getByLabel('What').inputValue(), '');
    await page.getByRole('complementary').getByRole('button', { name: 'Many tasks from a table' }).click();
    assert.equal(await sheet(page).getByRole('textbox', { name: 'Table' }).inputValue(), '');
    await page.keyboard.press('Escape');
    await page.locator('.panel h2').click();
    await page.keyboard.press('Escape');
    await pressChord(page, 'g', 'c');
    await page.getByRole('button', { name: 'Add a courier' }).first().click();
    assert.equal(await page.getByLabel('Name').inputValue(), '');
    assert.deepEqual(
      troubles.filter((each) => !each.includes('401')),
      [],
    );
    await page.context().close();
  },
);

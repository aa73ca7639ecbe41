import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { assertAccessible, openConsole, seedDispatcher, signIn } from './console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();
const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Saved views' });

/** Saves a search before the page takes its way back. */
async function saveInAnotherTab(page: Page, search: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(`${fixture.gateway.baseUrl}/console`);
  await other.getByLabel('Search tasks').fill(search);
  await other.getByRole('button', { name: 'Saved views' }).click();
  await dialog(other).getByLabel('Save the list as it is now').fill(search);
  await dialog(other).getByRole('button', { name: 'Save view' }).click();
  await dialog(page)
    .getByRole('button', { name: `Delete ${search}` })
    .waitFor();
  await other.close();
}

test(
  'a list is saved under a name and opened by its chip, by Ctrl K and by its address, for its user alone',
  WITH_BROWSER,
  async () => {
    const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
    await api.createTask({ name: 'Books', customer: { name: 'Ada Lovelace', phone: '+442079460001' } });
    await api.createTask({ name: 'Roses', customer: { name: 'Grace Hopper', phone: '+442079460002' } });
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await row(page, 'Grace Hopper').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Saved views' }).count(), 0, 'there is nothing to save yet');

    await page.getByLabel('Search tasks').fill('ada');
    await row(page, 'Grace Hopper').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Saved views' }).click();
    const name = dialog(page).getByLabel('Save the list as it is now');
    await name.waitFor();
    await page.keyboard.type('Ada & co');
    assert.equal(await name.inputValue(), 'Ada & co', 'the name has the focus');
    await assertAccessible(page, 'saved views');
    await dialog(page).getByRole('button', { name: 'Save view' }).click();
    const chip = page.getByRole('button', { name: 'Ada & co', exact: true });
    await page.waitForURL('**/console?view=Ada+%26+co');
    assert.equal(await chip.getAttribute('aria-pressed'), 'true');

    // Another filter is another list: the address forgets the name.
    await page.getByLabel('Search tasks').fill('roses');
    await row(page, 'Grace Hopper').waitFor();
    await page.waitForURL('**/console');
    await page.locator('.task-row').first().hover();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ada &');
    await page.keyboard.press('Enter');
    await row(page, 'Ada Lovelace').waitFor();
    await row(page, 'Grace Hopper').waitFor({ state: 'detached' });
    await page.reload();
    await row(page, 'Ada Lovelace').waitFor();
    assert.equal(await row(page, 'Grace Hopper').count(), 0);

    await page.getByRole('button', { name: 'Saved views' }).click();
    await dialog(page).getByRole('button', { name: 'Rename Ada & co' }).click();
    await dialog(page).getByLabel('New name of Ada & co').fill('Countess');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console?view=Countess');
    await dialog(page).getByRole('button', { name: 'Delete Countess' }).click();
    await dialog(page).getByText('No view is saved yet.').waitFor();
    await saveInAnotherTab(page, 'Roses');
    await dialog(page).getByRole('button', { name: 'Undo' }).click();
    await dialog(page).getByRole('button', { name: 'Delete Countess' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Delete Roses' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Countess', exact: true }).click();
    await page.waitForURL('**/console?view=Countess');

    await page.locator('.avatar').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await row(page, 'Grace Hopper').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Countess' }).count(), 0, 'the views of another user');
    await page.goto(`${fixture.gateway.baseUrl}/console?view=Countess`);
    await page.getByText('This browser keeps no view “Countess” for you.').waitFor();
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

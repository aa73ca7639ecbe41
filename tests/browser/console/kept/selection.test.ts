import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { assertAccessible, openConsole, pressChord, seedDispatcher, signIn } from '../console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();
const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });
const bar = (page: Page) => page.locator('.selection');

test(
  'a selection says how many of its tasks the search hides, also before they are cancelled',
  WITH_BROWSER,
  async () => {
    const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
    for (const [at, name] of ['Ada Lovelace', 'Grace Hopper', 'Alan Turing'].entries())
      await api.createTask({ name, customer: { name, phone: `+44207946000${at}` } });
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    for (const name of ['Ada', 'Grace']) await row(page, name).click({ modifiers: ['Control'] });
    await bar(page).getByText('2 selected').waitFor();
    assert.equal(await bar(page).getByText('in the task list').count(), 0);

    const search = page.getByLabel('Search tasks');
    await search.fill('Ada');
    await bar(page).getByText('1 of them is not in the task list.').waitFor();
    await search.fill('nobody has this name');
    await bar(page).getByText('None of them is in the task list.').waitFor();
    await assertAccessible(page, 'a selection out of sight');
    const dialog = page.getByRole('dialog');
    await bar(page).getByRole('button', { name: 'Cancel task' }).click();
    await dialog.getByText('Cancel 2 tasks?').waitFor();
    await dialog.getByText('None of them is in the task list.').waitFor();
    await page.keyboard.press('Escape');
    await bar(page).getByRole('button', { name: 'Assign' }).click();
    await dialog.getByText('None of them is in the task list.').waitFor();
    await page.keyboard.press('Escape');

    await search.fill('Grace');
    await search.press('Enter');
    await pressChord(page, 'g', 'b');
    await bar(page).getByText('1 of them is not on the board.').waitFor();
    await page.getByLabel('Search tasks').fill('');
    await bar(page).getByText('not on the board').waitFor({ state: 'detached' });
    await bar(page).getByText('2 selected').waitFor();
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { assertAccessible, openConsole, seedDispatcher, signIn } from './console-place.ts';
import { startCuttableProxy } from './cuttable-proxy.ts';

const fixture = useGateway();
const chrome = useBrowser();
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Many tasks from a table' });
/** An empty list has such a button too, once it has loaded. */
const opener = (page: Page) =>
  page.getByRole('complementary', { name: 'New task' }).getByRole('button', { name: 'Many tasks from a table' });
const button = (page: Page, name: string) => sheet(page).getByRole('button', { name });

async function openSheet(page: Page): Promise<void> {
  await page.getByLabel('Search tasks').waitFor();
  await page.keyboard.press('n');
  await opener(page).click();
  await sheet(page).getByRole('textbox', { name: 'Table' }).waitFor();
}

const TABLE = `Order no;Customer;Phone;Delivery address;LAT;Lng;Colour
A-1;Ada Lovelace;+44 20 7946 0001;"12 St James Sq; London";51,5;-0,13;red
A-2;Grace Hopper;12;High St 7;51,5;-0,14;blue
TAKEN;Alan Turing;0044 20 7946 0003;Low St 1;51,4;-0,12;green`;

test(
  'a dispatcher pastes a table, mends what is wrong with a line, and no line becomes two tasks',
  WITH_BROWSER,
  async () => {
    const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
    await api.createTask({ code: 'TAKEN' });
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await openSheet(page);
    await assertAccessible(page, 'paste of a table');
    await button(page, 'Look at it').click();
    await sheet(page).getByRole('alert').getByText('There is no task in it').waitFor();
    await sheet(page).getByRole('textbox', { name: 'Table' }).fill(TABLE);
    await button(page, 'Look at it').click();
    await sheet(page).getByText('3 lines · 1 to mend').waitFor();
    await sheet(page).getByText('Phone must be a possible phone number with its country code.').waitFor();
    assert.equal(await sheet(page).getByLabel('Phone, line 3').getAttribute('aria-invalid'), 'true');
    assert.equal(await sheet(page).getByLabel('Column 7, “Colour”').inputValue(), '', 'an unknown column is left out');
    await assertAccessible(page, 'preview of a table');

    await button(page, 'Create 2 tasks').click();
    await sheet(page).getByText('3 lines · 1 created · 2 to mend').waitFor();
    await sheet(page).getByText('Another task has this code.').waitFor();
    // A sheet that is closed meanwhile keeps the lines.
    await page.keyboard.press('Escape');
    await opener(page).click();
    await sheet(page).getByLabel('Phone, line 3').fill('+44 20 7946 0002');
    await sheet(page).getByLabel('Code, line 4').fill('A-3');
    await button(page, 'Create 2 tasks').click();
    await sheet(page).getByText('3 lines · 3 created').waitFor();
    await assertAccessible(page, 'a table that was sent');
    const { items } = (await api.get<{ items: { code: string; location: { address: string } }[] }>('/tasks')).body.data;
    assert.deepEqual(items.map(({ code }) => code).sort(), ['A-1', 'A-2', 'A-3', 'TAKEN']);
    assert.ok(items.some(({ location }) => location.address === '12 St James Sq; London'));
    await sheet(page).getByRole('button', { name: 'Created A-3' }).click();
    await page.locator('.panel').getByRole('heading', { name: 'A-3' }).waitFor();
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

test('a table whose answers are lost is asked about again, and makes each task once', WITH_BROWSER, async () => {
  const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
  const proxy = await startCuttableProxy(fixture.gateway.baseUrl);
  try {
    const { page } = await openConsole(chrome.browser, proxy.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await openSheet(page);
    const rows = Array.from({ length: 3 }, (_, at) => `Ada,+44 20 7946 000${at},Low St ${at},51.5,-0.13`);
    await sheet(page)
      .getByRole('textbox', { name: 'Table' })
      .fill(['customer,phone,address,lat,lng', ...rows].join('\n'));
    await button(page, 'Look at it').click();
    proxy.loseAnswersTo('/api/v1/tasks/batch');
    await button(page, 'Create 3 tasks').click();
    await sheet(page).getByRole('alert').getByText('has not decided about 3 tasks').waitFor();
    assert.equal((await api.get<{ count: number }>('/tasks')).body.data.count, 3);
    assert.equal(await sheet(page).getByLabel('Phone, line 2').count(), 0, 'nobody changes a line on its way');
    await page.clock.setSystemTime(Date.now() + 23 * 3_600_000);
    await sheet(page).getByText('3 tasks may exist already.').waitFor();
    await assertAccessible(page, 'a table whose key may be forgotten');
    assert.equal(await button(page, 'Ask again about 3 tasks').count(), 0);
    await page.clock.setSystemTime(Date.now());
    proxy.mend();
    await button(page, 'Ask again about 3 tasks').click();
    await sheet(page).getByText('3 lines · 3 created').waitFor();
    assert.equal((await api.get<{ count: number }>('/tasks')).body.data.count, 3);
    await page.context().close();
  } finally {
    proxy.close();
  }
});

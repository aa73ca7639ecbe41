import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../../../api/agents/agent-place.ts';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { until } from '../../../support/until.ts';
import { assertAccessible, openConsole, pressChord, seedDispatcher, signIn, useConsolePage } from '../console-place.ts';
import { startCuttableProxy } from '../cuttable-proxy.ts';

const fixture = useGateway({ organization: { role: 'dispatcher' } });
const chrome = useBrowser();
const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });
const top = async (page: Page, text: string) => (await row(page, text).boundingBox())!.y;
const untilFocused = (page: Page, name: string) =>
  until(`${name} has the focus`, async () =>
    (await page.evaluate<string>('document.activeElement.textContent')).startsWith(name),
  );

const openPage = useConsolePage(chrome, fixture);

async function open(): Promise<Page> {
  const { page } = await openPage();
  await page.getByLabel('Search tasks').waitFor();
  return page;
}

test(
  'a dialog that is left gives the focus back to its opener, and to cancel is no main action',
  WITH_BROWSER,
  async () => {
    await fixture.api.createTask({ name: 'Stays', customer: { name: 'Stays', phone: '+442079460061' } });
    const page = await open();
    await row(page, 'Stays').click();
    await page.locator('.panel').getByRole('button', { name: 'Cancel task' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel “Stays”?' });
    assert.match((await dialog.getByRole('button', { name: 'Cancel task' }).getAttribute('class'))!, /\bdanger\b/);
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilFocused(page, 'Cancel task');

    // One dialog that leads to another: the focus goes back to where the first one was opened.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('this map of keys');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await untilFocused(page, 'Cancel task');
  },
);

test(
  'a list of couriers stays where it was scrolled to while couriers change, and follows the arrows',
  WITH_BROWSER,
  async () => {
    const { api } = fixture;
    await api.createTask({ name: 'Given', customer: { name: 'Given', phone: '+442079460062' } });
    const agents = [];
    for (const name of ['Amina Diallo', 'Bo Lindqvist']) agents.push(await createAgent(api, { name }));
    const page = await open();
    await row(page, 'Given').click();
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('option').nth(1).waitFor();
    const scrolled = () => page.evaluate<number>(`document.querySelector('.choices').scrollTop`);
    await page.evaluate(`(({ list }) => { list.style.maxHeight = '2rem'; list.scrollTop = list.scrollHeight; })(
    { list: document.querySelector('.choices') })`);
    const before = await scrolled();
    assert.ok(before > 0);
    for (const { id } of agents) assert.equal((await api.put(`/agents/${id}/duty`, { onDuty: true })).status, 200);
    await until('the list shows who is on duty', async () => (await dialog.getByText('Off duty').count()) === 0);
    assert.equal(await scrolled(), before);
    await page.evaluate(`document.querySelector('.choices').scrollTop = 0`);
    await page.keyboard.press('ArrowDown');
    await until('the chosen courier is in sight', async () => (await scrolled()) > 0);
  },
);

test(
  'a courier is looked for for all selected tasks at once, and the rows stay where they were',
  WITH_BROWSER,
  async () => {
    const { api } = fixture;
    const made = [];
    for (const [index, name] of ['Sought one', 'Sought two'].entries())
      made.push(await api.createTask({ name, customer: { name, phone: `+44207946007${index}` } }));
    const page = await open();
    await row(page, 'Sought two').waitFor();
    const before = await top(page, 'Sought one');
    await row(page, 'Sought one').click({ modifiers: ['Control'] });
    await row(page, 'Sought two').click({ modifiers: ['Control'] });
    const bar = page.locator('.selection');
    await bar.getByText('2 selected').waitFor();
    assert.equal(await top(page, 'Sought one'), before);
    await assertAccessible(page, 'a selection');
    await bar.getByRole('button', { name: 'Look for a courier' }).click();
    await page.getByText('Looking for a courier for 2 tasks.').waitFor();
    for (const { id } of made)
      await until('its search has begun', async () => (await api.get(`/tasks/${id}`)).body.data.search !== null);
  },
);

test('settings that are opened cut off say so, and load when the connection is back', WITH_BROWSER, async () => {
  const proxy = await startCuttableProxy(fixture.gateway.baseUrl);
  try {
    const { page } = await openConsole(chrome.browser, proxy.baseUrl);
    await signIn(page, await seedDispatcher(fixture, fixture.gateway.organizationId));
    await page.getByText('Live').waitFor();
    proxy.cut();
    await page.getByText('You are seeing').waitFor();
    await pressChord(page, 'g', 's');
    await page.getByText('The connection is cut off. This loads when it is back.').waitFor();
    assert.equal(await page.getByText('Loading', { exact: true }).count(), 0);
    proxy.mend();
    await page.getByLabel('Time zone').waitFor();
    assert.equal(await page.getByText('The connection is cut off').count(), 0);
    await page.context().close();
  } finally {
    proxy.close();
  }
});

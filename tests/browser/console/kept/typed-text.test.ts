import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { openConsole, pressChord, seedDispatcher, signIn } from '../console-place.ts';
import { startCuttableProxy } from '../cuttable-proxy.ts';

const fixture = useGateway();
const chrome = useBrowser();
const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });
const orderOf = (name: string, phone: string) => ({ name, customer: { name, phone } });

test(
  'a new task whose answer is lost is made once, also by a form that was closed meanwhile',
  WITH_BROWSER,
  async () => {
    const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
    const proxy = await startCuttableProxy(fixture.gateway.baseUrl);
    const count = async () => (await api.get<{ count: number }>('/tasks')).body.data.count;
    try {
      const { page } = await openConsole(chrome.browser, proxy.baseUrl);
      await signIn(page, await seedDispatcher(fixture, organizationId));
      await page.getByText('No open task').waitFor();
      await page.keyboard.press('n');
      await page.getByLabel('What').fill('Oranges');
      await page.getByLabel('Customer', { exact: true }).fill('Ada Lovelace');
      await page.getByLabel('Phone with country code').fill('+442079460001');
      await page.getByLabel('Address', { exact: true }).fill('Low St 1');
      await page.getByLabel('Pin').fill('51.5, -0.12');
      const create = page.getByRole('button', { name: 'Create task' });
      proxy.loseAnswersTo('/api/v1/tasks');
      await create.click();
      await page.locator('.panel').getByText('Nothing is lost').waitFor();
      assert.equal(await count(), 1);
      proxy.mend();
      await page.locator('.panel h2').click();
      await page.keyboard.press('Escape');
      await pressChord(page, 'g', 'c');
      await pressChord(page, 'g', 'm');
      await page.keyboard.press('n');
      await create.click();
      await page.locator('.panel').getByRole('heading', { name: 'Oranges' }).waitFor();
      assert.equal(await count(), 1);
      await page.context().close();
    } finally {
      proxy.close();
    }
  },
);

test('a change of a task keeps its text while another task is changed', WITH_BROWSER, async () => {
  const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
  const first = await api.createTask(orderOf('Ada Lovelace', '+442079460001'));
  const second = await api.createTask(orderOf('Grace Hopper', '+442079460002'));
  const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
  await signIn(page, await seedDispatcher(fixture, organizationId));
  const notes = page.getByLabel('Notes');
  const begin = async (name: string) => {
    await row(page, name).click();
    await page.locator('.panel .actions').waitFor();
    await page.keyboard.press('e');
    await notes.waitFor();
  };
  await begin('Ada Lovelace');
  await notes.fill('Ring twice');
  await page.locator('.panel').getByRole('button', { name: 'Close' }).click();
  await begin('Grace Hopper');
  await notes.fill('At the back');
  await row(page, 'Ada Lovelace').click();
  await page.locator('.panel').getByText('Change “Ada Lovelace”').waitFor();
  assert.equal(await notes.inputValue(), 'Ring twice');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText(`${first.code} is changed.`).waitFor();
  await row(page, 'Grace Hopper').click();
  await page.locator('.panel').getByText('Change “Grace Hopper”').waitFor();
  assert.equal(await notes.inputValue(), 'At the back');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.keyboard.press('e');
  assert.equal(await notes.inputValue(), '', 'text that was discarded is gone');
  const notesOf = async (id: number) => (await api.get(`/tasks/${id}`)).body.data.notes;
  assert.deepEqual([await notesOf(first.id), await notesOf(second.id)], ['Ring twice', null]);
  assert.deepEqual(troubles, []);
  await page.context().close();
});

test('a changed address with a pin that is no place is not sent, and stays', WITH_BROWSER, async () => {
  const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
  const task = await api.createTask(orderOf('Ada Lovelace', '+442079460001'));
  const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
  await signIn(page, await seedDispatcher(fixture, organizationId));
  await row(page, 'Ada Lovelace').click();
  await page.locator('.panel .actions').waitFor();
  await page.keyboard.press('e');
  await page.getByLabel('Address', { exact: true }).fill('High St 2');
  await page.getByLabel('Pin').fill('90.4125, 23.8103');
  await page.getByLabel('Notes').fill('Ring twice');
  const save = page.getByRole('button', { name: 'Save changes' });
  await save.click();
  await page.getByRole('alert').getByText('Set the pin').waitFor();
  assert.equal(await page.getByLabel('Address', { exact: true }).inputValue(), 'High St 2');
  const read = async () => (await api.get<{ notes: string; location: { address: string } }>(`/tasks/${task.id}`)).body;
  assert.equal((await read()).data.notes, null);
  await page.getByLabel('Pin').fill('23.8103, 90.4125');
  await save.click();
  await page.getByText(`${task.code} is changed.`).waitFor();
  const { notes, location } = (await read()).data;
  assert.deepEqual([notes, location.address], ['Ring twice', 'High St 2']);
  assert.deepEqual(troubles, []);
  await page.context().close();
});

test('another address leaves the pin where it is, to the last decimal', WITH_BROWSER, async () => {
  const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
  const place = { address: 'Low St 1', latitude: 52.5200066, longitude: 13.404954 };
  const task = await api.createTask({ ...orderOf('Ada Lovelace', '+442079460001'), location: place });
  const { page } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
  await signIn(page, await seedDispatcher(fixture, organizationId));
  await row(page, 'Ada Lovelace').click();
  await page.locator('.panel .actions').waitFor();
  await page.keyboard.press('e');
  await page.getByLabel('Address', { exact: true }).fill('Low St 2');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText(`${task.code} is changed.`).waitFor();
  const { location } = (await api.get<{ location: typeof place }>(`/tasks/${task.id}`)).body.data;
  const { address, latitude, longitude } = location;
  assert.deepEqual([address, Number(latitude), Number(longitude)], ['Low St 2', place.latitude, place.longitude]);
  await page.context().close();
});

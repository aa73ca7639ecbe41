import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../../api/api-fixture.ts';
import { dayOf, failedTask } from '../../api/exceptions/day-of.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { seedSession, seedUser } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { assertAccessible, openConsole, PASSWORD, seedDispatcher, signIn } from './console-place.ts';
import { startCuttableProxy } from './cuttable-proxy.ts';

const fixture = useGateway();
const chrome = useBrowser();
const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });
const SEEING = /You are seeing \d\d:\d\d:\d\d\./;

test(
  'a console says within seconds that its connection is lost in silence, and says so at its start, too',
  WITH_BROWSER,
  async () => {
    const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
    const proxy = await startCuttableProxy(fixture.gateway.baseUrl);
    try {
      const { page } = await openConsole(chrome.browser, proxy.baseUrl);
      await signIn(page, await seedDispatcher(fixture, organizationId));
      await page.getByText('No open task').waitFor();
      await page.getByText('Live').waitFor();
      proxy.freeze();
      const frozenAt = performance.now();
      await page.getByText(SEEING).waitFor();
      const seconds = (performance.now() - frozenAt) / 1_000;
      assert.ok(seconds < 20, `it took ${seconds} s`);
      await api.createTask({ name: 'Meanwhile', customer: { name: 'Ada Lovelace', phone: '+442079460001' } });
      // Swallowed bytes stay lost: the open connection is dead, and only a new one brings the task.
      proxy.mend();
      await row(page, 'Ada Lovelace').waitFor();
      await page.getByText('Live').waitFor();
      await page.getByText('Back. 1 change came meanwhile.').waitFor();
      await page.close();

      proxy.cutApi();
      const late = await page.context().newPage();
      await late.goto(`${proxy.baseUrl}/console/`);
      await late.getByText('The server does not answer. The console comes back by itself.').waitFor();
      proxy.mend();
      await row(late, 'Ada Lovelace').waitFor();
      await late.context().close();
    } finally {
      proxy.close();
    }
  },
);

test('the list, the panel and the figures say what is so, in words of people', WITH_BROWSER, async () => {
  const day = await dayOf(fixture, {}, 1);
  const { api, organizationId } = day;
  const customer = (name: string, last: number) => ({ customer: { name, phone: `+44 20 7946 000${last}` } });
  await failedTask(day, customer('Fails Today', 1));
  await day.taskIn('completed', customer('Done Today', 2));
  const sought = await api.createTask({ ...customer('Sought In Vain', 3), packages: [{ name: 'Box' }] });
  const amended = await api.post(`/tasks/${sought.id}/amend`, {
    notes: 'Ring twice',
    contact: { name: 'Grace', phone: '+442079460007' },
  });
  assert.equal(amended.status, 200, amended.text);
  const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
  await signIn(page, await seedDispatcher(fixture, organizationId));
  await row(page, 'Sought In Vain').waitFor();
  await page.getByText('This browser cannot draw the map.').waitFor();
  const rows = () => page.locator('.task-row .who').allInnerTexts();
  const figure = (label: string) => page.locator('.figure').filter({ hasText: label });

  await figure('Failed today').click();
  await row(page, 'Fails Today').waitFor();
  assert.deepEqual(await rows(), ['Fails Today']);
  await figure('On time today').click();
  await row(page, 'Done Today').waitFor();
  assert.deepEqual(await rows(), ['Done Today']);
  await figure('Open').click();
  await row(page, 'Sought In Vain').waitFor();

  await page.keyboard.press('/');
  await page.keyboard.type('done today');
  // Each key has a list of its own: the one of the first key shows other tasks too.
  await until('one task is found by its name', async () => (await rows()).join() === 'Done Today');
  await page.getByLabel('Search tasks').fill('+44 207946000');
  await until('three tasks are found by their phone numbers', async () => (await rows()).length === 3);
  await page.keyboard.press('Escape');

  await row(page, 'Sought In Vain').click();
  const history = page.locator('.history');
  await history.getByText('notes, contact').waitFor();
  assert.doesNotMatch((await history.allTextContents()).join(), /[a-z]_[a-z]|contact, notes,|[a-z][A-Z]/);
  await page.getByRole('button', { name: /^Cancel task/ }).waitFor();
  assert.deepEqual(troubles, []);
  await page.context().close();
});

test(
  'a second sign-in in the same browser shows the other organization, and a super administrator hears that there is none',
  WITH_BROWSER,
  async () => {
    const [first, second] = [
      await fixture.organization({ role: 'dispatcher' }),
      await fixture.organization({ role: 'dispatcher' }),
    ];
    await first.api.createTask({ customer: { name: 'Of The First', phone: '+442079460001' } });
    await second.api.createTask({ customer: { name: 'Of The Second', phone: '+442079460001' } });
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    const leave = async () => {
      await page.getByRole('button', { name: /Account/ }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You have signed out.').waitFor();
    };
    await signIn(page, await seedDispatcher(fixture, first.organizationId));
    await row(page, 'Of The First').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('first');
    await leave();
    await signIn(page, await seedDispatcher(fixture, second.organizationId));
    await row(page, 'Of The Second').waitFor();
    assert.equal(await row(page, 'Of The First').count(), 0);
    // The new user's list is alive, and not the frozen one of the first.
    await second.api.createTask({ customer: { name: 'Came Later', phone: '+442079460002' } });
    await row(page, 'Came Later').waitFor();
    await leave();
    const superAdmin = await seedUser(fixture.gateway.databaseUrl, 0, 'super_admin', PASSWORD);
    await signIn(page, superAdmin);
    await page.getByText('belongs to no organization').waitFor();
    await assertAccessible(page, 'no organization');
    await page.getByRole('button', { name: 'Use another account' }).click();
    await page.getByLabel('E-mail address').waitFor();
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

test(
  'a signed-in user of an organization that is not active hears so, and may use another account',
  WITH_BROWSER,
  async () => {
    const { organizationId } = await fixture.organization({ role: 'dispatcher' });
    const { baseUrl, databaseUrl } = fixture.gateway;
    const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
    const root = fixture.clientOf(await seedSession(databaseUrl, 0, userId));
    const { page } = await openConsole(chrome.browser, baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await page.getByText('No open task').waitFor();
    await page.close();
    assert.equal((await root.patch(`/organizations/${organizationId}`, { status: 'inactive' })).status, 200);
    const late = await page.context().newPage();
    await late.goto(`${baseUrl}/console/`);
    await late.getByText('Your organization is not active.').waitFor();
    await assertAccessible(late, 'an organization that is not active');
    await late.getByRole('button', { name: 'Use another account' }).click();
    await late.getByLabel('E-mail address').waitFor();
    await late.context().close();
  },
);

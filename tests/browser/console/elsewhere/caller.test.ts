import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { seedSession, seedUser } from '../../../support/seeds/seed.ts';
import { until } from '../../../support/until.ts';
import { openConsole, PASSWORD, seedDispatcher, signIn } from '../console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

/** An organization with two administrators: the only one could not be demoted. */
async function administered() {
  const { databaseUrl } = fixture.gateway;
  const { organizationId, api: shop } = await fixture.organization();
  const [first, second] = [
    await seedUser(databaseUrl, organizationId, 'org_admin', PASSWORD),
    await seedUser(databaseUrl, organizationId, 'org_admin', PASSWORD),
  ];
  const api = fixture.clientOf(await seedSession(databaseUrl, organizationId, first.userId));
  return { organizationId, shop, api, second };
}

test(
  'another time zone and name of the organization reach an open console, and what is typed is in the new zone',
  WITH_BROWSER,
  async () => {
    const { organizationId, shop, api } = await administered();
    const task = await shop.createTask({ customer: { name: 'Ada Lovelace', phone: '+442079460001' } });
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await page.locator('.task-row').filter({ hasText: 'Ada Lovelace' }).click();
    await page.getByRole('button', { name: /^Cancel task/ }).waitFor();
    const change = { name: 'Tokyo Deliveries', settings: { timeZone: 'Asia/Tokyo' } };
    assert.equal((await api.patch(`/organizations/${organizationId}`, change)).status, 200);
    await page.locator('.organization').getByText('Tokyo Deliveries').waitFor();
    await page.getByText('times are those of Asia/Tokyo now').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('Not after').fill('2031-05-01T14:30');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.locator('.panel').getByText('1 May 2031, 14:30').first().waitFor();
    const { windowEnd } = (await shop.get<{ windowEnd: string }>(`/tasks/${task.id}`)).body.data;
    assert.equal(windowEnd, '2031-05-01T05:30:00.000Z');
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

test('a changed role reaches an open console, and a refusal says what to do', WITH_BROWSER, async () => {
  const { api, second } = await administered();
  const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
  await signIn(page, second, PASSWORD);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.goto(`${fixture.gateway.baseUrl}/console/settings/organization`);
  await page.getByLabel('Phone for customers').fill('+442079460009');
  const sections = () => sectionsOf(page).allInnerTexts();
  assert.equal((await sections()).length, 7);
  assert.equal((await api.patch(`/users/${second.userId}`, { role: 'dispatcher' })).status, 200);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your role does not allow this. Ask an administrator').waitFor();
  await page.getByText('Your role has changed: Dispatcher.').waitFor();
  assert.deepEqual(await sections(), ['Organization', 'Assignment', 'Webhooks', 'Mails']);
  assert.ok(await page.getByLabel('Phone for customers').isDisabled());
  assert.equal((await api.patch(`/users/${second.userId}`, { role: 'org_admin' })).status, 200);
  await until('the sections of an administrator are there', async () => (await sections()).length === 7);
  assert.deepEqual(
    troubles.filter((text) => !text.includes('403')),
    [],
  );
  await page.context().close();
});

function sectionsOf(page: Page) {
  return page.getByRole('navigation', { name: 'Sections of the settings' }).getByRole('link');
}

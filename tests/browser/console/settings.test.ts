import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { OrganizationView } from '../../../schema/accounts/organization.ts';
import type { AccountView } from '../../../schema/accounts/user.ts';
import type { NotificationSettings } from '../../../schema/notices/notification.ts';
import { useGateway } from '../../api/api-fixture.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { seedSession, seedUser } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { assertAccessible, type ConsolePage, openConsole, PASSWORD, pressChord, signIn } from './console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

async function openSettings(user: { readonly email: string }): Promise<ConsolePage> {
  const opened = await openConsole(chrome.browser, fixture.gateway.baseUrl);
  const { page } = opened;
  await signIn(page, user, PASSWORD);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await pressChord(page, 'g', 's');
  await page.getByLabel('Time zone').waitFor();
  return opened;
}

const sections = (page: Page) => page.getByRole('navigation', { name: 'Sections of the settings' });

interface Visit {
  readonly page: Page;
  /** The administrator's client. */
  readonly api: ApiClient;
  readonly organizationId: number;
}

async function settingsOf({ api, organizationId }: Visit): Promise<OrganizationView['settings']> {
  return (await api.get<OrganizationView>(`/organizations/${organizationId}`)).body.data.settings;
}

async function changeOrganization(visit: Visit): Promise<void> {
  const { page } = visit;
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  const phone = page.getByLabel('Phone for customers');
  await phone.fill('12');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('must be a possible phone number').waitFor();
  assert.equal(await phone.inputValue(), '12', 'what was typed stays');
  await phone.fill('+44 20 7946 0958');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const { timeZone, contact, color } = await settingsOf(visit);
  assert.deepEqual([timeZone, contact, color], ['Europe/Berlin', { phone: '+44 20 7946 0958' }, 'green']);
}

async function changeAssignment(visit: Visit): Promise<void> {
  const { page } = visit;
  await sections(page).getByRole('link', { name: 'Assignment' }).click();
  assert.equal(await page.getByLabel('Couriers asked').inputValue(), '7');
  await page.getByLabel('Time to answer').fill('4');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A whole number from 5 to 3,600').waitFor();
  await assertAccessible(page, 'assignment with a fault');
  await page.getByLabel('Time to answer').fill('45');
  await page.getByLabel('Give tasks without asking').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await until('the settings are saved', async () => {
    const { requestTtlSeconds, maxAttempts, autoAccept } = (await settingsOf(visit))['assignment'] as Record<
      string,
      unknown
    >;
    return requestTtlSeconds === 45 && maxAttempts === 7 && autoAccept === true;
  });
}

async function invite({ page, api }: Visit): Promise<void> {
  await sections(page).getByRole('link', { name: 'People' }).click();
  await page.getByLabel('Name').fill('Grace Hopper');
  await page.getByLabel('E-mail address').fill('grace@example.com');
  await page.getByRole('button', { name: 'Add and send a mail' }).click();
  const grace = page.getByRole('listitem').filter({ hasText: 'grace@example.com' });
  await grace.getByText('Address not verified').waitFor();
  await grace.getByRole('button', { name: 'Invitation' }).click();
  await page.getByAltText('The link for Grace Hopper as a QR code').waitFor();
  await assertAccessible(page, 'people with an invitation');
  const link = new URL(await page.getByLabel('Link').inputValue());
  assert.equal((await fetch(fixture.gateway.baseUrl + link.pathname + link.search)).status, 200);
  await page.keyboard.press('Escape');
  await grace.getByRole('button', { name: 'Deactivate' }).click();
  await grace.getByText('Inactive').waitFor();
  const { items } = (await api.get<{ items: AccountView[] }>('/users')).body.data;
  const made = items.find(({ email }) => email === 'grace@example.com')!;
  assert.deepEqual([made.role, made.isActive], ['dispatcher', false]);
}

async function makeKeys({ page }: Visit): Promise<void> {
  await sections(page).getByRole('link', { name: 'Channels' }).click();
  await page.getByLabel('Name').fill('Web shop');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const first = await page.getByLabel('Key', { exact: true }).inputValue();
  await page.keyboard.press('Escape');
  const status = async (key: string) => (await fixture.clientOf(key).get('/auth/me')).status;
  assert.equal(await status(first), 200);
  const shop = page.getByRole('listitem').filter({ hasText: 'Web shop' });
  await shop.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('button', { name: 'Make a new key' }).click();
  await page.getByText('Key of Web shop').waitFor();
  const second = await page.getByLabel('Key', { exact: true }).inputValue();
  assert.deepEqual([await status(first), await status(second)], [401, 200]);
}

/** An organization of its own, its administrator, and the API as that user. */
async function makeAdmin() {
  const { databaseUrl } = fixture.gateway;
  const { organizationId } = await fixture.organization();
  const admin = await seedUser(databaseUrl, organizationId, 'org_admin', PASSWORD);
  const api = fixture.clientOf(await seedSession(databaseUrl, organizationId, admin.userId));
  return { databaseUrl, organizationId, admin, api };
}

test(
  'an administrator changes settings, invites a person and makes a key; a dispatcher reads the settings',
  WITH_BROWSER,
  async () => {
    const { databaseUrl, organizationId, admin, api } = await makeAdmin();
    const settings = { assignment: { maxAttempts: 7 }, color: 'green' };
    assert.equal((await api.patch(`/organizations/${organizationId}`, { settings })).status, 200);
    const { page, troubles } = await openSettings(admin);
    const visit = { page, api, organizationId };
    await changeOrganization(visit);
    await changeAssignment(visit);
    await invite(visit);
    await makeKeys(visit);
    assert.deepEqual(troubles, []);
    await page.context().close();

    const dispatcher = await seedUser(databaseUrl, organizationId, 'dispatcher', PASSWORD);
    const { page: reader } = await openSettings(dispatcher);
    assert.ok(await reader.getByLabel('Time zone').isDisabled());
    const offered = await sections(reader).getByRole('link').allInnerTexts();
    assert.deepEqual(offered, ['Organization', 'Assignment', 'Webhooks', 'Mails']);
    await reader.context().close();
  },
);

test(
  'a save holds only the fields that one has changed, so the changes of another administrator stay',
  WITH_BROWSER,
  async () => {
    const { organizationId, admin, api } = await makeAdmin();
    const { page } = await openSettings(admin);
    const visit = { page, api, organizationId };
    const save = (settings: object) => api.patch(`/organizations/${organizationId}`, { settings });

    await page.getByLabel('E-mail for customers').fill('help@example.com');
    const saved = { timeZone: 'Europe/Berlin', contact: { phone: '+442079460001' } };
    assert.equal((await save(saved)).status, 200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { timeZone, contact } = await settingsOf(visit);
    assert.deepEqual([timeZone, contact], ['Europe/Berlin', { phone: '+442079460001', email: 'help@example.com' }]);
    assert.equal(await page.getByLabel('Time zone').inputValue(), 'Europe/Berlin', 'the form shows what is saved now');

    await sections(page).getByRole('link', { name: 'Assignment' }).click();
    await page.getByLabel('Time to answer').fill('45');
    assert.equal((await save({ assignment: { mode: 'broadcast' } })).status, 200);
    await page.getByRole('button', { name: 'Save' }).click();
    await until('the time to answer is saved', async () => {
      const { mode, requestTtlSeconds } = (await settingsOf(visit))['assignment'] as Record<string, unknown>;
      return requestTtlSeconds === 45 && mode === 'broadcast';
    });

    await sections(page).getByRole('link', { name: 'Mails' }).click();
    await page.getByLabel('Subject').first().fill('It is on its way to us');
    const notices = (await api.get<NotificationSettings>('/notifications/settings')).body.data;
    const customerMail = { ...notices.customerMail, onTheWay: !notices.customerMail.onTheWay };
    assert.equal((await api.put('/notifications/settings', { ...notices, customerMail })).status, 200);
    await page.getByRole('button', { name: 'Save' }).click();
    await until('the subject is saved', async () => {
      const now = (await api.get<NotificationSettings>('/notifications/settings')).body.data;
      const subject = now.templates.created?.subject;
      return subject === 'It is on its way to us' && now.customerMail.onTheWay === customerMail.onTheWay;
    });
    await page.context().close();
  },
);

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { NotificationSettings } from '../../../schema/notices/notification.ts';
import type { WebhookView } from '../../../schema/notices/webhook.ts';
import { useGateway } from '../../api/api-fixture.ts';
import { seedDelivery } from '../../api/webhooks/seed-delivery.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { assertAccessible, openConsole, PASSWORD, signIn } from './console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

interface Visit {
  readonly page: Page;
  /** The administrator's client. */
  readonly api: ApiClient;
  readonly organizationId: number;
}

const WEBHOOKS = { path: '/console/settings/webhooks' };

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 2 });

async function openSection({ page }: Visit, link: string, name: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Sections of the settings' })
    .getByRole('link', { name: link, exact: true })
    .click();
  await heading(page, name).waitFor();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function manageWebhook(visit: Visit): Promise<void> {
  const { page, api, organizationId } = visit;
  const webhooks = async () => (await api.get<{ items: WebhookView[] }>('/webhooks')).body.data.items;
  await heading(page, 'Webhooks').waitFor();
  await page.getByText('No webhook yet').waitFor();
  await button(page, 'Add a webhook').click();
  await page.getByLabel('Address').fill('ftp://example.com');
  await page.getByLabel('Every event, also those of later releases').uncheck();
  await button(page, 'Add webhook').click();
  await page.getByRole('alert').getByText('Choose at least one event.').waitFor();
  await page.getByLabel('Every event of payments').check();
  await page.getByLabel('became late').check();
  await assertAccessible(page, 'a new webhook');
  await button(page, 'Add webhook').click();
  await page.getByRole('alert').getByText('must begin with https://').waitFor();
  await page.getByLabel('Address').fill('https://1.1.1.1/hook');
  await button(page, 'Add webhook').click();
  const first = await page.getByLabel('Secret', { exact: true }).inputValue();
  assert.match(first, /^whsec_/);
  await page.keyboard.press('Escape');
  const [made] = await webhooks();
  assert.deepEqual([made!.url, made!.events], ['https://1.1.1.1/hook', ['payment.*', 'task.delayed']]);

  const event = await api.createTask();
  const attempts = [
    { at: new Date().toISOString(), status: 500, error: null, excerpt: 'out of order', durationMs: 12 },
  ];
  const seed = { organizationId, webhookId: made!.id, sequence: 1, state: 'failed', attempts } as const;
  await seedDelivery(fixture.gateway.databaseUrl, seed);
  await button(page, 'Deliveries').click();
  const delivery = page.locator('.delivery').filter({ hasText: 'task.created' });
  await delivery.locator('summary').click();
  await delivery.getByText(event.code).waitFor();
  await delivery.getByText('out of order').waitFor();
  await assertAccessible(page, 'deliveries');
  await delivery.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('It is sent again.').waitFor();

  await button(page, 'Send a test').click();
  await page.getByText('A test event is on its way.').waitFor();
  await button(page, 'Replay').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await page.getByText(/to look through|There is no event/).waitFor();
  await button(page, 'New secret').click();
  await button(page, 'Make a new secret').click();
  assert.notEqual(await page.getByLabel('Secret', { exact: true }).inputValue(), first);
  await page.keyboard.press('Escape');
  await button(page, 'Change').click();
  await page.getByLabel('Description').fill('Web shop');
  await narrowWebhook(page);
  await button(page, 'Save changes').click();
  await page.getByRole('heading', { name: 'Web shop' }).waitFor();
  await page.getByText('new status: Completed · of 1 channel').waitFor();
  await button(page, 'Switch off').click();
  await page.getByText('Switched off').waitFor();
  const [changed] = await webhooks();
  assert.deepEqual(
    [changed!.description, changed!.isActive, changed!.events, changed!.statuses, changed!.channelIds?.length],
    ['Web shop', false, ['payment.*', 'task.delayed', 'task.status_changed'], ['completed'], 1],
  );
}

/** Statuses can be chosen once new statuses are sent. */
async function narrowWebhook(page: Page): Promise<void> {
  const statuses = page.getByRole('group', { name: 'New statuses' });
  assert.equal(await statuses.count(), 0);
  await page.getByRole('group', { name: 'tasks' }).getByLabel('new status').check();
  await statuses.getByLabel('Completed').check();
  await page.getByRole('group', { name: 'Channels' }).getByRole('checkbox').first().check();
  await assertAccessible(page, 'a changed webhook');
}

async function writeMails(visit: Visit): Promise<void> {
  const { page, api } = visit;
  await openSection(visit, 'Mails', 'Mails to customers');
  const mail = page.getByRole('group', { name: 'On its way' });
  await mail.getByLabel('Send this mail').check();
  await mail.getByLabel('Subject').fill('{{nobody}} comes');
  await button(page, 'Save').click();
  await page.getByRole('alert').getByText('must have in double braces').waitFor();
  await mail.getByLabel('Subject').fill('{{taskCode}} comes');
  await assertAccessible(page, 'mails');
  await button(page, 'Save').click();
  await page.getByText('Saved.').waitFor();
  const { customerMail, templates } = (await api.get<NotificationSettings>('/notifications/settings')).body.data;
  assert.deepEqual(customerMail, { created: false, onTheWay: true, completed: false });
  assert.equal(templates.onTheWay?.subject, '{{taskCode}} comes');
}

/** Users of a large organization: a page of the API's list does not hold them all, and has the newest ones. */
function seedColleagues(organizationId: number, count: number): Promise<unknown> {
  return withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
      INSERT INTO users (organization_id, id, role, first_name, last_name)
      SELECT ${organizationId}, nextval('user_ids'), 'dispatcher', 'Col', 'League' FROM generate_series(1, ${count}::int)`,
  );
}

/** The log has what the administrator has just done, with the fields that changed. */
async function readAudit(visit: Visit): Promise<void> {
  const { page } = visit;
  await page.goto(`${fixture.gateway.baseUrl}/console/settings/audit`);
  await heading(page, 'Audit log').waitFor();
  await page.getByLabel('Kind of record').selectOption('Webhook');
  // A browser reports a time with each digit: of the year that is the year 2 first, which the API refuses.
  await page.getByLabel('From', { exact: true }).fill('2024-03-02T14:30');
  await page.keyboard.type('05012025');
  assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), '2025-05-01T14:30');
  const entry = page.locator('.audited').filter({ hasText: 'webhook.updated' }).last();
  await entry.locator('summary').click();
  await entry.getByRole('row').filter({ hasText: 'description' }).getByText('Web shop').waitFor();
  await entry.locator('summary').getByText('Test User').waitFor();
  assert.equal(await page.locator('.audited').filter({ hasText: 'session.login' }).count(), 0);
  await assertAccessible(page, 'audit log');
}

test(
  'an administrator manages webhooks, writes the mails to customers and reads the audit log; a dispatcher reads the first two',
  WITH_BROWSER,
  async () => {
    const { databaseUrl, baseUrl } = fixture.gateway;
    const { organizationId } = await fixture.organization();
    const admin = await seedUser(databaseUrl, organizationId, 'org_admin', PASSWORD);
    await seedColleagues(organizationId, 100);
    const api = fixture.clientOf(await seedSession(databaseUrl, organizationId, admin.userId));
    const { page, troubles } = await openConsole(chrome.browser, baseUrl, WEBHOOKS);
    await signIn(page, admin, PASSWORD);
    const visit = { page, api, organizationId };
    await manageWebhook(visit);
    await writeMails(visit);
    await readAudit(visit);
    assert.deepEqual(
      troubles.filter((text) => !text.includes('400')),
      [],
    );
    await page.context().close();

    const dispatcher = await seedUser(databaseUrl, organizationId, 'dispatcher', PASSWORD);
    const { page: reader } = await openConsole(chrome.browser, baseUrl, WEBHOOKS);
    await signIn(reader, dispatcher, PASSWORD);
    await button(reader, 'Deliveries').click();
    await reader.locator('.delivery').first().waitFor();
    await reader.locator('.delivery summary').last().click();
    for (const name of ['Send a test', 'Send again', 'Replay', 'Change', 'New secret', 'Switch on', 'Delete'])
      assert.equal(await button(reader, name).count(), 0, name);
    await openSection({ ...visit, page: reader }, 'Mails', 'Mails to customers');
    assert.ok(await reader.getByRole('group', { name: 'On its way' }).getByLabel('Subject').isDisabled());
    // A section that she may not see is not there, also by its address.
    await reader.goto(`${baseUrl}/console/settings/audit`);
    await reader.getByLabel('Time zone').waitFor();
    await until('its address is not kept', () => !reader.url().endsWith('/audit'));
    await reader.context().close();
  },
);

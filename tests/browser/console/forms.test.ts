import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import { useGateway } from '../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { seedUser } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import {
  assertAccessible,
  openConsole,
  PASSWORD,
  pressChord,
  seedDispatcher,
  signIn,
  targetsTooSmall,
} from './console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();
const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });
const ADA = { name: 'Books', customer: { name: 'Ada Lovelace', phone: '+442079460001' } };

async function goThrough(page: Page, ...views: string[]): Promise<void> {
  for (const key of views) {
    await pressChord(page, 'g', key);
  }
}

test(
  'typed text stays until it is saved: in a new task, in a change of one, and while everything around it changes',
  WITH_BROWSER,
  async () => {
    const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await page.getByText('No open task').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('What').fill('A box of oranges');
    await page.getByLabel('Pin').fill('51.5');
    await page.locator('.panel h2').click();
    await page.keyboard.press('Escape');
    await page.getByTitle('Your draft is kept').waitFor();
    const task = await api.createTask(ADA);
    await row(page, 'Ada Lovelace').waitFor();
    await goThrough(page, 'c', 'm');
    await page.keyboard.press('n');
    assert.equal(await page.getByLabel('What').inputValue(), 'A box of oranges');
    assert.equal(await page.getByLabel('Pin').inputValue(), '51.5');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByTitle('Your draft is kept').waitFor({ state: 'detached' });

    await row(page, 'Ada Lovelace').click();
    await page.locator('.panel .actions').waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('Notes').fill('Ring twice');
    await page.getByLabel('Not after').fill('2031-05-01T14:30');
    const amended = await api.post(`/tasks/${task.id}/amend`, { description: 'Fragile' });
    assert.equal(amended.status, 200);
    await page.getByText('Somebody else has changed this task meanwhile.').waitFor();
    await assertAccessible(page, 'change of a task');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText(`${task.code} is changed.`).waitFor();
    const { notes, description, windowEnd } = (await api.get(`/tasks/${task.id}`)).body.data;
    assert.deepEqual([notes, description, windowEnd], ['Ring twice', 'Fragile', '2031-05-01T14:30:00.000Z']);
    await page.locator('.panel').getByText('Ring twice').waitFor();

    // A list that the pointer rests on holds still, and one that comes back later does not.
    await row(page, 'Ada Lovelace').hover();
    await api.createTask({ customer: { name: 'Grace Hopper', phone: '+442079460002' } });
    await page.getByText('1 new · Show').waitFor();
    assert.equal(await row(page, 'Grace Hopper').count(), 0);
    await goThrough(page, 'c', 'm');
    await row(page, 'Grace Hopper').waitFor();
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

test(
  'on a phone the pin of a new task is set on the map, and an administrator invites a courier',
  WITH_BROWSER,
  async () => {
    const { databaseUrl } = fixture.gateway;
    const { organizationId, api } = await fixture.organization();
    const admin = await seedUser(databaseUrl, organizationId, 'org_admin', PASSWORD);
    const viewport = { width: 390, height: 844 };
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl, {
      viewport,
      hasTouch: true,
      drawsMap: true,
    });
    await signIn(page, admin);
    await page.getByText('No open task').waitFor();
    assert.deepEqual(await targetsTooSmall(page), [], 'tasks');
    await page.getByRole('button', { name: 'New task' }).click();
    assert.deepEqual(await targetsTooSmall(page), [], 'the form of a new task');
    await page.getByLabel('What').fill('A box of oranges');
    await page.getByRole('button', { name: 'Set on the map' }).click();
    await page.getByText('Tap the place on the map.').waitFor();
    await page.locator('.maplibregl-canvas').waitFor();
    const pin = page.getByLabel('Pin');
    await until('the map has taken the tap', async () => {
      if (await page.locator('.placing').count())
        await page.locator('.maplibregl-canvas').tap({ position: { x: 150, y: 300 } });
      return pin.isVisible();
    });
    assert.match(await pin.inputValue(), /^-?\d+\.\d{5}, -?\d+\.\d{5}$/);
    assert.equal(await page.getByLabel('What').inputValue(), 'A box of oranges');
    await page.getByRole('button', { name: 'Discard' }).click();

    await page.getByRole('link', { name: 'Couriers' }).click();
    await page.getByText('No courier yet').waitFor();
    await page.getByRole('button', { name: 'Add a courier' }).click();
    await page.getByLabel('Name').fill('Amina Diallo');
    await page.getByLabel('E-mail address').fill('amina@example.com');
    await page.getByLabel('Phone with country code').fill('+442079460009');
    await assertAccessible(page, 'add a courier');
    await page.getByRole('button', { name: 'Add courier' }).click();
    await page.getByAltText('The link for Amina Diallo as a QR code').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row').filter({ hasText: 'Amina Diallo' }).waitFor();
    assert.deepEqual(await targetsTooSmall(page), [], 'couriers');
    const { items } = (await api.get<{ items: AgentView[] }>('/agents')).body.data;
    assert.deepEqual(
      items.map(({ vehicle }) => vehicle?.type),
      ['bike'],
    );
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

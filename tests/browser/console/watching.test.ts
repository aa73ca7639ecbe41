import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../../api/agents/agent-place.ts';
import { useGateway } from '../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { until } from '../../support/until.ts';
import { assertAccessible, openConsole, pressChord, seedDispatcher, signIn } from './console-place.ts';
import { startCuttableProxy } from './cuttable-proxy.ts';

const fixture = useGateway({ organization: { role: 'dispatcher' } });
const chrome = useBrowser();

/** Resolves when a figure of the header has this value: a list comes more often than the figures do. */
const awaitFigure = (page: Page, label: string, value: string) =>
  page.locator('.figure').filter({ hasText: label }).locator('.value').getByText(value, { exact: true }).waitFor();
const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });

test('the files of the console are compressed, kept for long, and come from this origin alone', async () => {
  const { baseUrl } = fixture.gateway;
  const page = await fetch(`${baseUrl}/console`);
  assert.equal(page.status, 200);
  const policy = page.headers.get('content-security-policy')!;
  assert.match(policy, /script-src 'self'; style-src 'self';.*worker-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|blob:|https?:/);
  const html = await page.text();
  assert.doesNotMatch(html, /<script(?! type="module" src="\/console\/assets\/)/);
  const [script] = /\/console\/assets\/console-[A-Z0-9]+\.js/.exec(html)!;
  for (const [coding, expected] of [
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, identity', null],
  ] as const) {
    const file = await fetch(baseUrl + script, { headers: { 'accept-encoding': coding } });
    assert.equal(file.headers.get('content-encoding'), expected, coding);
    assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(await file.text(), /signed-out/);
  }
  for (const path of ['/console/', '/console/settings/', '/console/couriers/5'])
    assert.equal(await (await fetch(baseUrl + path)).text(), html, path);
  for (const path of [
    '/console/nowhere',
    '/console/nowhere/5',
    '/console/assets/console-XX.js',
    '/console/assets/..%2f..%2fpackage.json',
  ])
    assert.equal((await fetch(baseUrl + path)).status, 404, path);
});

test(
  'a dispatcher signs in, sees every change as it is committed, and signs out in every tab',
  WITH_BROWSER,
  async () => {
    const { api, gateway } = fixture;
    const before = await api.createTask({ name: 'Books', customer: { name: 'Ada Lovelace', phone: '+442079460001' } });
    const dispatcher = await seedDispatcher(fixture, gateway.organizationId);
    const { page, troubles } = await openConsole(chrome.browser, gateway.baseUrl, { drawsMap: true });
    await assertAccessible(page, 'sign-in');
    await signIn(page, dispatcher, 'wrong password');
    await page.getByText('This address and password do not match.').waitFor();
    await signIn(page, dispatcher);
    await row(page, 'Ada Lovelace').waitFor();
    await awaitFigure(page, 'Unassigned', '1');

    const agent = await createAgent(api, { name: 'Bruno Costa' });
    await api.createTask({ name: 'A lamp', customer: { name: 'Grace Hopper', phone: '+442079460002' } });
    await row(page, 'Grace Hopper').waitFor();
    await awaitFigure(page, 'Open', '2');
    assert.equal((await api.post(`/tasks/${before.id}/assign`, { agentId: agent.id })).status, 200);
    await page.locator('.group-row').filter({ hasText: 'Bruno Costa' }).waitFor();
    await row(page, 'Ada Lovelace').click();
    const panel = page.getByLabel('Task', { exact: true });
    await panel.getByText('Assigned', { exact: true }).last().waitFor();
    assert.equal((await api.put(`/tasks/${before.id}/status`, { status: 'accepted' })).status, 200);
    await panel.locator('.history').getByText('Accepted').waitFor();
    assert.match(page.url(), new RegExp(`task=${before.id}$`));
    await assertAccessible(page, 'list and panel, light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertAccessible(page, 'list and panel, dark');

    await page.keyboard.press('/');
    await page.keyboard.type('hopper');
    await row(page, 'Ada Lovelace').waitFor({ state: 'detached' });
    await row(page, 'Grace Hopper').waitFor();
    await page.keyboard.press('Escape');
    await pressChord(page, 'g', 'c');
    await page.getByRole('heading', { name: 'Couriers' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Bruno Costa' }).waitFor();
    await assertAccessible(page, 'couriers');

    const second = await page.context().newPage();
    await second.goto(`${gateway.baseUrl}/console?task=${before.id}`);
    await second.getByLabel('Task', { exact: true }).getByText('Accepted').first().waitFor();
    await second.getByRole('button', { name: /Account/ }).click();
    await second.getByText('Dispatcher ·').waitFor();
    await second.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

test('a console that was cut off says since when, and comes back with nothing missing', WITH_BROWSER, async () => {
  const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
  const proxy = await startCuttableProxy(fixture.gateway.baseUrl);
  try {
    const { page } = await openConsole(chrome.browser, proxy.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await page.getByText('No open task').waitFor();
    const named = (name: string) => ({ name, customer: { name, phone: '+442079460003' } });
    const first = await api.createTask(named('Before the cut'));
    await row(page, 'Before the cut').waitFor();
    proxy.cut();
    await page.getByText(/You are seeing \d\d:\d\d:\d\d\./).waitFor();
    for (let made = 0; made < 12; made++) await api.createTask(named(`Meanwhile ${made}`));
    assert.equal((await api.put(`/tasks/${first.id}/status`, { status: 'cancelled' })).status, 200);
    assert.equal(await row(page, 'Meanwhile').count(), 0);
    proxy.mend();
    await page.getByText('Back. 13 changes came meanwhile.').waitFor();
    const { items } = (await api.list('status=new&limit=100')).body.data;
    await until('the list is that of the API', async () => {
      const shown = await page.locator('.task-row .second').allTextContents();
      return shown.length === items.length && items.every(({ name }) => shown.some((text) => text.endsWith(name)));
    });
    await awaitFigure(page, 'Open', '12');
    await page.context().close();
  } finally {
    proxy.close();
  }
});

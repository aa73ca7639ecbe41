import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createAgent } from '../../api/agents/agent-place.ts';
import { useGateway } from '../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { assertAccessible, openConsole, pressChord, seedDispatcher, signIn } from './console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

test('the charts are made of the log, follow it, and say where there is too little', WITH_BROWSER, async () => {
  const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
  const agent = await createAgent(api, { name: 'Amina Diallo' });
  assert.equal((await api.put(`/agents/${agent.id}/duty`, { onDuty: true })).status, 200);
  const tasks = [await api.createTask(), await api.createTask(), await api.createTask()];
  assert.equal((await api.post(`/tasks/${tasks[0]!.id}/assign`, { agentId: agent.id })).status, 200);
  const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
  const loaded: string[] = [];
  page.on('response', (response) => loaded.push(response.url()));
  await signIn(page, await seedDispatcher(fixture, organizationId));
  await page.getByLabel('Search tasks').waitFor();
  assert.ok(!loaded.some((url) => url.includes('charts-view')), 'their program waits until it is needed');
  await pressChord(page, 'g', 'h');
  const chart = (title: string) => page.getByRole('region', { name: title });
  await chart('Tasks a minute').getByText('3 came, 0 ended.').waitFor();
  await chart('Open tasks by status').getByText('3 tasks are open now.').waitFor();
  await chart('Open tasks by status').getByText('Unassigned 2').waitFor();
  await chart('Time to assign').getByText('A chart needs 5 tasks that found a courier; so far: 1.').waitFor();
  await chart('On time').getByText('so far: 0.').waitFor();
  await chart('Webhook success').getByText('There is no webhook').waitFor();
  assert.equal(await chart('Tasks a minute').locator('canvas').count(), 1);

  await chart('Tasks a minute').getByText('As a table').click();
  const cells = await chart('Tasks a minute').locator('tbody td:nth-child(2)').allInnerTexts();
  assert.equal(
    cells.reduce((sum, cell) => sum + Number(cell), 0),
    3,
  );
  await assertAccessible(page, 'charts');
  await pointAt(page, chart('Tasks a minute'));
  await api.createTask();
  await chart('Tasks a minute').getByText('4 came, 0 ended.').waitFor();
  await page.goto(`${fixture.gateway.baseUrl}/console/charts`);
  await chart('Tasks a minute').getByText('4 came, 0 ended.').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await assertAccessible(page, 'charts in the dark');
  assert.deepEqual(troubles, []);
  await page.context().close();
});

/** The key of a chart shows the time and the values that the arrows or the pointer lead to. */
async function pointAt(page: Page, chart: Locator): Promise<void> {
  const key = chart.locator('.chart-key');
  await key.getByText('Newest').waitFor();
  const slider = chart.getByRole('slider');
  await slider.focus();
  await page.keyboard.press('Home');
  await key.getByText(/^\d\d:\d\d$/).waitFor();
  const first = await slider.getAttribute('aria-valuetext');
  assert.match(first!, /^\d\d:\d\d, Came \d, Ended 0$/);
  const letters = (words: string | null) => words!.replaceAll(/[\s,]/g, '');
  assert.equal(letters(await key.textContent()), letters(first));
  await page.keyboard.press('Escape');
  await key.getByText('Newest').waitFor();

  const plot = (await chart.locator('.u-over').boundingBox())!;
  await page.mouse.move(plot.x + plot.width - 2, plot.y + plot.height / 2);
  await key.getByText(/^\d\d:\d\d$/).waitFor();
  await page.mouse.move(plot.x, plot.y - 30);
  await key.getByText('Newest').waitFor();
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../../api/api-fixture.ts';
import { dayOf } from '../../api/exceptions/day-of.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { until } from '../../support/until.ts';
import { assertAccessible, createMany, openConsole, pressChord, seedDispatcher, signIn } from './console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();
const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const card = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });
const named = (name: string, last: number) => ({ customer: { name, phone: `+44207946001${last}` } });
/** A refund changes the payment, and not the task. */
async function refundPayment(api: typeof fixture.api, taskId: number): Promise<void> {
  const { items } = (await api.get<{ items: { id: number }[] }>(`/payments?taskId=${taskId}`)).body.data;
  assert.equal((await api.post(`/payments/${items[0]!.id}/refund`, { reason: 'damaged' })).status, 200);
}
/** One pixel. */
const PHOTO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test(
  'a dispatcher works on the board: drags between columns are actions, keys move, and the panel shows proofs and payments',
  WITH_BROWSER,
  async () => {
    const day = await dayOf(fixture, {}, 2);
    const { api, organizationId, read } = day;
    const task = await api.createTask(named('Ada Lovelace', 1));
    const done = await day.taskIn('in_transit', { ...named('Grace Hopper', 2), amount: '12.50', currency: 'EUR' });
    assert.equal((await api.post(`/tasks/${done.id}/proof`, { photo: PHOTO })).status, 201);
    assert.equal((await api.post('/payments/cash', { taskId: done.id, amount: '12.50' })).status, 201);
    assert.equal((await api.put(`/tasks/${done.id}/status`, { status: 'completed' })).status, 200);
    for (const { agentId } of day.agents)
      assert.equal((await api.put(`/agents/${agentId}/duty`, { onDuty: true })).status, 200);
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await pressChord(page, 'g', 'b');
    await column(page, 'Unassigned').locator(card(page, 'Ada Lovelace')).waitFor();
    await column(page, 'Done today').locator(card(page, 'Grace Hopper')).waitFor();
    await assertAccessible(page, 'board');

    // A drop on "Assigned" asks for the courier.
    await card(page, 'Ada Lovelace').dragTo(column(page, 'Assigned'));
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await column(page, 'Assigned').locator(card(page, 'Ada Lovelace')).waitFor();
    assert.notEqual((await read(task.id)).agentId, null);
    await card(page, 'Ada Lovelace').dragTo(column(page, 'Unassigned'));
    await column(page, 'Unassigned').locator(card(page, 'Ada Lovelace')).waitFor();
    assert.equal((await read(task.id)).agentId, null);

    await page.getByLabel('Columns').selectOption('courier');
    const [courier] = day.agents;
    const { user } = (await api.get<{ user: { firstName: string; lastName: string } }>(`/agents/${courier!.agentId}`))
      .body.data;
    const own = page
      .locator('.board-column')
      .filter({ hasText: `${user.firstName} ${user.lastName}` })
      .first();
    await own.getByText('Free. Drop a task here.').waitFor();
    await card(page, 'Ada Lovelace').dragTo(own);
    await own.locator(card(page, 'Ada Lovelace')).waitFor();
    await until('the drop is committed', async () => (await read(task.id)).agentId !== null);

    await page.mouse.move(700, 5);
    await page.locator('h2').first().click();
    for (const key of ['j', 'l', 'Enter']) await page.keyboard.press(key);
    const panel = page.locator('.panel');
    await panel.getByRole('heading', { name: 'Payments' }).waitFor();
    await panel
      .getByText(/12\.50 [A-Z]{3}/)
      .first()
      .waitFor();
    await panel.locator('.packages').getByText('paid', { exact: true }).waitFor();
    await refundPayment(api, done.id);
    await panel.locator('.packages').getByText('refunded', { exact: true }).waitFor();
    await panel.getByText(/^Refund of 12\.50 [A-Z]{3}$/).waitFor();
    await assertAccessible(page, 'panel of a completed task');
    await panel.getByRole('button', { name: /^Open: Photo/ }).click();
    const photo = page.getByRole('dialog').getByRole('img');
    assert.equal(await photo.getAttribute('src'), PHOTO);
    await assertAccessible(page, 'photo');
    await page.keyboard.press('Escape');
    const saving = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Save the receipt' }).click();
    assert.equal((await saving).suggestedFilename(), `${done.code}.html`);

    // Where the columns have no room beside it, the panel lies over them.
    await page.setViewportSize({ width: 390, height: 844 });
    assert.equal((await panel.boundingBox())?.width, 390);
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

test(
  'a board that is filtered says by what, claims nothing about the rest, and offers everything',
  WITH_BROWSER,
  async () => {
    const { api, agents, organizationId } = await dayOf(fixture, {}, 1);
    await api.createTask(named('Ada Lovelace', 3));
    const { page } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await pressChord(page, 'g', 'c');
    const courier = page.locator(`a[href="/console/couriers/${agents[0]!.agentId}"]`);
    const name = (await courier.textContent())!;
    await courier.click();
    await page.getByRole('button', { name: 'Open tasks', exact: true }).click();
    await page.getByLabel('Search tasks').waitFor();
    await pressChord(page, 'g', 'b');
    await page.getByRole('status').filter({ hasText: name }).waitFor();
    await column(page, 'Unassigned').getByText('No task here fits the search and the filters.').waitFor();
    assert.equal(await page.getByText('No task is without a courier.').count(), 0);
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await column(page, 'Unassigned').locator(card(page, 'Ada Lovelace')).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Clear search and filters' }).count(), 0);
    await page.context().close();
  },
);

test(
  'a selection of the board is reassigned whole, cards that are scrolled out of sight included',
  WITH_BROWSER,
  async () => {
    const { api, agents, organizationId, read } = await dayOf(fixture, {}, 2);
    const [from, to] = [agents[0]!.agentId, agents[1]!.agentId];
    const ids = await createMany(api, 70);
    const given = await api.post<{ done: number }>('/tasks/actions', { action: 'assign', agentId: from, taskIds: ids });
    assert.equal(given.body.data.done, ids.length, given.text);
    const { page } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await pressChord(page, 'g', 'b');
    const cards = column(page, 'Assigned').locator('.task-row');
    await cards.first().click({ modifiers: ['Control'] });
    const first = Number(await cards.first().getAttribute('data-task'));
    await page.evaluate(
      `(({ list }) => { list.scrollTop = list.scrollHeight })({ list: document.querySelector('[aria-label=Assigned] .virtual') })`,
    );
    await page.locator(`[data-task="${first}"]`).waitFor({ state: 'detached' });
    const last = Number(await cards.last().getAttribute('data-task'));
    await cards.last().click({ modifiers: ['Control'] });
    await page.keyboard.press('r');
    const { user } = (await api.get<{ user: { firstName: string; lastName: string } }>(`/agents/${to}`)).body.data;
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type(`${user.firstName} ${user.lastName}`);
    await page.keyboard.press('Enter');
    for (const id of [first, last]) await until('the card is reassigned', async () => (await read(id)).agentId === to);
    await page.context().close();
  },
);

test('only the columns that can take a card show that they do', WITH_BROWSER, async () => {
  const { api, organizationId } = await dayOf(fixture, {}, 1);
  await api.createTask(named('Ada Lovelace', 4));
  const { page } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
  await signIn(page, await seedDispatcher(fixture, organizationId));
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await pressChord(page, 'g', 'b');
  await card(page, 'Ada Lovelace').hover();
  await page.mouse.down();
  const { x, y } = (await column(page, 'On its way').boundingBox())!;
  await page.mouse.move(x + 20, y + 200, { steps: 5 });
  await page.locator('.board-column.target').first().waitFor();
  const targets = await page.locator('.board-column.target').evaluateAll((all) => all.map((each) => each.ariaLabel));
  assert.deepEqual(targets, ['Looking for a courier', 'Assigned']);
  await page.mouse.up();
  await page.context().close();
});

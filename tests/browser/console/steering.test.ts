import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import { createAgent } from '../../api/agents/agent-place.ts';
import { useGateway } from '../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import {
  assertAccessible,
  type ConsolePage,
  createMany,
  openConsole,
  type PageOptions,
  pressChord,
  seedDispatcher,
  signIn,
  useConsolePage,
} from './console-place.ts';

let amina: AgentView;
let bruno: AgentView;
const fixture = useGateway({ organization: { role: 'dispatcher' } }, async ({ api }) => {
  amina = await createAgent(api, { name: 'Amina Diallo' });
  bruno = await createAgent(api, { name: 'Bruno Costa' });
  for (const { id } of [amina, bruno])
    assert.equal((await api.put(`/agents/${id}/duty`, { onDuty: true })).status, 200);
});
const chrome = useBrowser();

const row = (page: Page, text: string) => page.locator('.task-row').filter({ hasText: text });
const group = (page: Page, name: string) => page.locator('.group-row').filter({ hasText: name });
const panel = (page: Page) => page.locator('.panel');
const read = async (id: number) => (await fixture.api.get(`/tasks/${id}`)).body.data;

/** Amina takes a task and does not deliver it. */
async function fail(id: number): Promise<void> {
  const { api } = fixture;
  assert.equal((await api.post(`/tasks/${id}/assign`, { agentId: amina.id })).status, 200);
  for (const change of [
    { status: 'accepted' },
    { status: 'in_transit' },
    { status: 'completed', outcome: 'failed', failureReason: 'Nobody at home' },
  ])
    assert.equal((await api.put(`/tasks/${id}/status`, change)).status, 200);
}

const openPage = useConsolePage(chrome, fixture);

async function open(options: PageOptions = {}): Promise<ConsolePage> {
  const opened = await openPage(options);
  await opened.page.getByLabel('Search tasks').waitFor();
  return opened;
}

test(
  'a dispatcher creates a task, gives it away by keys and by drag, and hears why something is refused',
  WITH_BROWSER,
  async () => {
    const { api } = fixture;
    const { page, troubles } = await open();
    await page.keyboard.press('n');
    await page.getByLabel('What').fill('A box of oranges');
    await page.getByLabel('Customer', { exact: true }).fill('Ada Lovelace');
    await page.getByLabel('Phone with country code').fill('12');
    await page.getByLabel('Address').fill('12 St James Square');
    await page.getByLabel('Pin').fill('51.5074, -0.1353');
    await page.getByLabel('Notes').fill('Ring twice');
    await assertAccessible(page, 'new task');
    await page.getByRole('button', { name: 'Create task' }).click();
    await page.getByRole('alert').getByText('must be a possible phone number').waitFor();
    assert.equal(await page.getByLabel('Notes').inputValue(), 'Ring twice', 'what was typed stays');
    await page.getByLabel('Phone with country code').fill('+442079460001');
    await page.getByRole('button', { name: 'Create task' }).click();
    await panel(page).getByRole('heading', { name: 'A box of oranges' }).waitFor();
    const id = Number(new URL(page.url()).searchParams.get('task'));
    assert.deepEqual((await read(id)).location?.latitude, '51.50740000');
    await panel(page).locator('.status-chip.new').waitFor();
    await assertAccessible(page, 'panel of a new task');

    await page.keyboard.press('a');
    await page.getByRole('dialog').waitFor();
    await assertAccessible(page, 'picker');
    await page.keyboard.type('amina');
    await page.keyboard.press('Enter');
    await page.getByText('1 task given to Amina Diallo.').waitFor();
    await group(page, 'Amina Diallo').waitFor();
    assert.equal((await read(id)).agentId, amina.id);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 task taken back.').waitFor();
    assert.equal((await read(id)).agentId, null);

    const second = await api.createTask({ name: 'Of Bruno', customer: { name: 'Of Bruno', phone: '+442079460002' } });
    assert.equal((await api.post(`/tasks/${second.id}/assign`, { agentId: bruno.id })).status, 200);
    await page.mouse.move(900, 600);
    // The list holds still while a button is down: a row that comes later is not dragged to.
    await group(page, 'Bruno Costa').waitFor();
    await row(page, 'Ada Lovelace').dragTo(group(page, 'Bruno Costa'));
    await page.getByText('1 task given to Bruno Costa.').waitFor();
    await until('the drag is committed', async () => (await read(id)).agentId === bruno.id);

    for (const status of ['accepted', 'in_transit'])
      assert.equal((await api.put(`/tasks/${id}/status`, { status })).status, 200);
    await panel(page).getByText('On its way').first().waitFor();
    const refused = page.getByRole('dialog').getByText('This does not work any more');
    await page.keyboard.press('r');
    await page.keyboard.type('amina');
    assert.equal(await refused.count(), 0);
    await page.keyboard.press('Enter');
    await until('it is reassigned in transit', async () => (await read(id)).agentId === amina.id);
    await panel(page).getByText('Given to another courier').waitFor();
    assert.deepEqual(
      troubles.filter((text) => !text.includes('400')),
      [],
    );
  },
);

test(
  'many tasks are cancelled at once with a reason, a failed one is attempted again, and refusals stand one by one',
  WITH_BROWSER,
  async () => {
    const { api } = fixture;
    const made = [];
    for (const [index, name] of ['One', 'Two', 'Three'].entries())
      made.push(await api.createTask({ name, customer: { name, phone: `+44207946003${index}` } }));
    const { page, troubles } = await open();
    await row(page, 'Three').waitFor();
    await row(page, 'One').click({ modifiers: ['Control'] });
    await row(page, 'Three').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    // Another user is quicker: the console does not know yet that it will be refused.
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByLabel('Reason').fill('Shop closed');
    await assertAccessible(page, 'cancel');
    assert.equal((await api.put(`/tasks/${made[1]!.id}/status`, { status: 'cancelled' })).status, 200);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '2 done, 1 not done' }).waitFor();
    await page.getByText(`Task ${made[1]!.id}: This does not work any more: the task is cancelled.`).waitFor();
    const { items } = (await api.get<{ items: { reason: string | null }[] }>(`/tasks/${made[0]!.id}/history`)).body
      .data;
    assert.equal(items.at(-1)?.reason, 'Shop closed');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');

    const failed = await api.createTask({ name: 'Fails', customer: { name: 'Fails', phone: '+442079460010' } });
    assert.equal((await api.post('/payments/cash', { taskId: failed.id, amount: '33' })).status, 201);
    await fail(failed.id);
    await page.getByRole('button', { name: 'Done today' }).click();
    await row(page, 'Fails').click();
    await panel(page).getByText('Nobody at home').first().waitFor();
    await page.getByRole('button', { name: 'Attempt again' }).click();
    await panel(page).getByText('Earlier attempt').waitFor();
    // Its payment counts for this one.
    const paid = panel(page).getByRole('listitem').filter({ hasText: 'for the failed attempt' });
    await paid.getByText('paid', { exact: true }).waitFor();
    assert.equal((await read(failed.id)).nextTaskId, Number(new URL(page.url()).searchParams.get('task')));
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next, previous task').waitFor();
    await assertAccessible(page, 'keys');
    assert.deepEqual(troubles, []);
  },
);

test('keys act on an open task of an earlier day as its buttons do', WITH_BROWSER, async () => {
  const { api, gateway } = fixture;
  const { id } = await api.createTask({ name: 'Of old', customer: { name: 'Of old', phone: '+442079460011' } });
  await fail(id);
  await withSql(
    gateway.databaseUrl,
    (sql) => sql`
      UPDATE tasks SET created_at = created_at - interval '3 days', completed_at = completed_at - interval '3 days'
      WHERE organization_id = ${gateway.organizationId} AND id = ${id}`,
  );
  const { page, troubles } = await open({ path: `/console?task=${id}` });
  await panel(page).getByRole('button', { name: 'Attempt again' }).waitFor();
  await page.keyboard.press('y');
  await panel(page).getByText('Earlier attempt').waitFor();
  assert.equal((await read(id)).nextTaskId, Number(new URL(page.url()).searchParams.get('task')));
  assert.deepEqual(troubles, []);
});

test('keys act on the task that they pointed at, also when another one comes before it', WITH_BROWSER, async () => {
  const { api } = fixture;
  const customer = (name: string) => ({ name, customer: { name, phone: '+442079460040' } });
  const meant = await api.createTask(customer('Meant one'));
  const { page } = await open();
  await page.mouse.move(900, 600);
  await row(page, 'Meant one').waitFor();
  const pointed = page.locator('.task-row.cursor').filter({ hasText: 'Meant one' });
  for (let presses = 0; presses < 10 && !(await pointed.isVisible()); presses++) await page.keyboard.press('j');
  await pointed.waitFor();
  const scheduledAt = new Date(Date.now() + 60_000).toISOString();
  const early = await api.createTask({
    ...customer('Sneaks in'),
    code: 'CURSOR-2',
    scheduledAt,
    timeToServe: 'scheduled',
  });
  await row(page, 'Sneaks in').waitFor();
  await page.keyboard.press('c');
  await page.getByRole('dialog', { name: 'Cancel “Meant one”?' }).waitFor();
  await page.keyboard.press('Enter');
  await until('it is cancelled', async () => (await read(meant.id)).status === 'cancelled');
  assert.equal((await read(early.id)).status, 'new');
});

test(
  'keys never act on another task than the one that was found, or has the focus on the board',
  WITH_BROWSER,
  async () => {
    const { api } = fixture;
    for (const [index, name] of ['Open before', 'Quick find', 'On the board'].entries())
      await api.createTask({ name, customer: { name, phone: `+44207946005${index}` } });
    const { page } = await open();
    await page.mouse.move(900, 600);
    await row(page, 'Open before').click();
    await panel(page).getByRole('heading', { name: 'Open before' }).waitFor();
    // Quicker than any list can come: everything within one turn of the page.
    await page.evaluate(`(() => {
    const field = document.querySelector('#search');
    field.focus();
    field.value = 'quick find';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    for (const key of ['Enter', 'c'])
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  })()`);
    await page.locator('.task-row.cursor').filter({ hasText: 'Quick find' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0, 'nothing is asked of the task that was open before');
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Cancel “Quick find”?' }).waitFor();
    await page.keyboard.press('Escape');

    for (const key of ['/', 'Control+a', 'Delete', 'Escape']) await page.keyboard.press(key);
    await pressChord(page, 'g', 'b');
    const card = row(page, 'On the board');
    await card.focus();
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Cancel “On the board”?' }).waitFor();
  },
);

test(
  'in a list that was scrolled Enter goes from the search to its first task, and Shift-click selects the whole range',
  WITH_BROWSER,
  async () => {
    const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
    await createMany(api, 89);
    const { page } = await openConsole(chrome.browser, fixture.gateway.baseUrl);
    await signIn(page, await seedDispatcher(fixture, organizationId));
    const rows = page.locator('.task-row');
    await rows.first().waitFor();
    const first = await rows.first().getAttribute('data-task');
    const scrollDown = async () => {
      await page.evaluate(
        `(({ list }) => { list.scrollTop = list.scrollHeight })({ list: document.querySelector('.virtual') })`,
      );
      await page.locator(`[data-task="${first}"]`).waitFor({ state: 'detached' });
    };
    await scrollDown();
    await page.keyboard.press('/');
    await page.keyboard.press('Enter');
    await page.locator(`[data-task="${first}"].cursor`).waitFor();
    await page.keyboard.press('Enter');
    await panel(page).waitFor();
    assert.match(page.url(), new RegExp(`task=${first}$`));
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });

    await page.locator(`[data-task="${first}"]`).click({ modifiers: ['Control'] });
    await scrollDown();
    await rows.last().click({ modifiers: ['Shift'] });
    await page.locator('.selection').getByText('89 selected').waitFor();
    await page.context().close();
  },
);

test('a drag begins at any row and ends at a courier who has no task yet', WITH_BROWSER, async () => {
  const { api } = fixture;
  const name = 'To the free one';
  const task = await api.createTask({ name, customer: { name, phone: '+442079460042' } });
  const carla = await createAgent(api, { name: 'Carla Free' });
  assert.equal((await api.put(`/agents/${carla.id}/duty`, { onDuty: true })).status, 200);
  const { page } = await open();
  await page.getByLabel('Search tasks').fill(name);
  await until('the task is found alone', async () => (await page.locator('.task-row').count()) === 1);
  await row(page, name).hover();
  await page.mouse.down();
  const { x, y } = (await row(page, name).boundingBox())!;
  await page.mouse.move(x + 40, y + 5, { steps: 3 });
  const places = page.getByRole('list', { name: 'Drop on a courier' });
  const place = places.getByRole('listitem').filter({ hasText: 'Carla Free' });
  await place.getByText('Free', { exact: true }).waitFor();
  await place.hover();
  await page.mouse.up();
  await until('the drop is committed', async () => (await read(task.id)).agentId === carla.id);
  await places.waitFor({ state: 'detached' });
});

test(
  'undo takes back what is still with the courier, and leaves what a colleague gave away since',
  WITH_BROWSER,
  async () => {
    const { api } = fixture;
    const make = (name: string, phone: string) => api.createTask({ name, customer: { name, phone } });
    const undone = await make('Undone', '+442079460080');
    const moved = await make('Moved on', '+442079460081');
    const { page } = await open();
    for (const name of ['Undone', 'Moved on']) await row(page, name).click({ modifiers: ['Control'] });
    await page.keyboard.press('a');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('amina');
    await page.keyboard.press('Enter');
    await page.getByText('2 tasks given to Amina Diallo.').waitFor();
    assert.equal((await api.post(`/tasks/${moved.id}/reassign`, { agentId: bruno.id })).status, 200);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('1 task is no longer with Amina Diallo and stays where it is.').waitFor();
    await page.getByText('1 task taken back.').waitFor();
    assert.equal((await read(undone.id)).agentId, null);
    assert.equal((await read(moved.id)).agentId, bruno.id);
  },
);

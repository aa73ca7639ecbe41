import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { HistoryStepView } from '../../../../schema/tasks/task-history.ts';
import { openConsole } from '../../../browser/console/console-place.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { until } from '../../../support/until.ts';
import { type Hands, panelOf, rowOf } from './day-hands.ts';
import {
  bring,
  customerOf,
  type DayPlace,
  EN_ROUTE,
  FAILED,
  read,
  setDuty,
  startDayPlace,
  step,
  untilTask,
} from './day-place.ts';
import { keyboard } from './key-hands.ts';
import { mouse } from './mouse-hands.ts';

const chrome = useBrowser();
let place: DayPlace;
before(async () => {
  place = await startDayPlace();
  // On duty and of unknown place: the planner leaves them to the dispatcher.
  for (const { id } of place.couriers) await setDuty(place, id, true);
});
after(() => place?.stop());

const TASK_IDS = `[...document.querySelectorAll('.task-row')].map((row) => Number(row.dataset.task))`;

for (const handsOf of [mouse, keyboard])
  test(`a dispatcher does her day with the ${handsOf.name}, beside a fleet at work`, WITH_BROWSER, async () => {
    const { page, troubles } = await openConsole(chrome.browser, place.network.baseUrl);
    const hands = handsOf(page);
    await hands.signIn(place.demo.dispatcher);
    await watchTheFleet(page);
    await createAndGive(page, hands);
    await lookForCourier(hands);
    await attemptAgain(page, hands);
    assert.deepEqual(troubles, []);
    await page.context().close();
  });

/** Orders come, and couriers set out with them, without a touch. */
async function watchTheFleet(page: Page): Promise<void> {
  const figure = (label: string) => page.locator('.figure').filter({ hasText: label }).locator('.value');
  await until('there are open orders', async () => Number(await figure('Open').textContent()) > 0);
  await until('the couriers are on duty', async () => Number(await figure('On duty').textContent()) > 0);
  const newest = async () => Math.max(...(await page.evaluate<number[]>(TASK_IDS)));
  const before = await newest();
  await until('another order comes', async () => (await newest()) > before);
  await rowOf(page, 'On its way').first().waitFor();
}

/** From the order on the phone to the door, by way of a second courier. */
async function createAndGive(page: Page, hands: Hands): Promise<void> {
  const [, , ivan, julia] = place.couriers;
  const { name: customer, phone } = customerOf('Lovelace');
  await hands.create({
    what: 'A box of oranges',
    customer,
    phone,
    address: '12 St James Square',
    pin: '52.52, 13.405',
  });
  await panelOf(page).getByRole('heading', { name: 'A box of oranges' }).waitFor();
  const id = Number(new URL(page.url()).searchParams.get('task'));
  assert.equal((await read(place, id)).location?.address, '12 St James Square');

  await hands.give(customer, ivan!.name);
  await untilTask(place, id, 'the task is given', ({ agentId }) => agentId === ivan!.id);
  await step(place, id, ...EN_ROUTE);
  const chip = panelOf(page).locator('.status-chip').first();
  await chip.filter({ hasText: 'On its way' }).waitFor();

  await hands.reassign(customer, julia!.name);
  await untilTask(place, id, 'it changes hands on its way', ({ agentId }) => agentId === julia!.id);
  await panelOf(page).getByText('Given to another courier').waitFor();
  const { items } = (await place.api.get<{ items: HistoryStepView[] }>(`/tasks/${id}/history`)).body.data;
  const handOver = items.find(({ kind }) => kind === 'reassigned');
  assert.deepEqual([handOver?.fromStatus, handOver?.toStatus], ['in_transit', 'assigned']);
  await step(place, id, ...EN_ROUTE, { status: 'completed' });
  await chip.filter({ hasText: 'Completed' }).waitFor();
}

async function lookForCourier(hands: Hands): Promise<void> {
  const customer = customerOf('Curie');
  const task = await place.api.createTask({ customer });
  await hands.look(customer.name);
  await untilTask(place, task.id, 'the search begins', (now) => now.autoAssignmentStatus !== 'not_requested');
  await step(place, task.id, { status: 'cancelled' });
}

async function attemptAgain(page: Page, hands: Hands): Promise<void> {
  const customer = customerOf('Hopper');
  const task = await place.api.createTask({ customer });
  await bring(place, task, place.couriers[2]!.id, ...EN_ROUTE, FAILED);
  await hands.attemptAgain(customer.name);
  await panelOf(page).getByText('Earlier attempt').waitFor();
  const next = await read(place, (await read(place, task.id)).nextTaskId!);
  assert.equal(next.id, Number(new URL(page.url()).searchParams.get('task')));
  assert.deepEqual([next.attempt, next.previousTaskId, next.status], [2, task.id, 'new']);
  await step(place, next.id, { status: 'cancelled' });
}

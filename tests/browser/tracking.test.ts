import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TaskView } from '../../schema/tasks/task-view.ts';
import { useGateway } from '../api/api-fixture.ts';
import { type TrackingPlace, tokenOf, trackingPlace } from '../api/tracking/tracking-place.ts';
import { useBrowser, WITH_BROWSER } from '../support/browser.ts';
import { HOSTILE_TEXTS } from '../support/seeds/hostile-texts.ts';
import { PATIENCE_MS } from '../support/until.ts';

let place: TrackingPlace;
const fixture = useGateway({}, async () => {
  place = await trackingPlace(fixture);
});
const chrome = useBrowser();

const PHONE: BrowserContextOptions = { viewport: { width: 320, height: 640 } };

const LEITH = { address: '7 Harbour Street, Leith', latitude: 55.97, longitude: -3.17 };

/** A tracking page, what went wrong on it, and the hosts it asked. */
async function open(path: string, options: BrowserContextOptions = PHONE) {
  const { baseUrl } = fixture.gateway;
  const page = await chrome.browser.newPage({ locale: 'en-GB', timezoneId: 'Asia/Tokyo', ...options });
  page.setDefaultTimeout(PATIENCE_MS);
  const troubles: string[] = [];
  const strangers: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  page.on('dialog', (dialog) => troubles.push(dialog.message()));
  page.on('request', (request) => request.url().startsWith(baseUrl) || strangers.push(request.url()));
  await page.goto(`${baseUrl}${path}`);
  return { page, troubles, strangers };
}

const says = (page: Page, text: string) => page.getByText(text).first().waitFor();
const overflowOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth');

test('a page follows its task from new to completed, and takes a rating', WITH_BROWSER, async () => {
  const task = await place.api.createTask({ name: 'Two boxes of books' });
  const { page, troubles, strangers } = await open(task.trackingUrl);
  const headline = page.getByRole('status').getByRole('heading');
  const becomes = (text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();
  assert.equal(await headline.textContent(), 'Order received');
  assert.equal(await page.title(), 'Order received · Test organization');
  assert.equal(await page.getByRole('status').getAttribute('aria-live'), 'polite');
  await page.getByText('Look again').waitFor({ state: 'hidden' });
  await place.assign(task.id);
  await becomes('Courier found');
  assert.equal(await page.title(), 'Courier found · Test organization');
  await place.step(task.id, 'accepted');
  await becomes('Courier confirmed');
  await says(page, 'Your courier is Amina');
  await place.step(task.id, 'in_transit');
  await becomes('On its way');
  await place.moveAgent(51.5252, -0.1357);
  await says(page, 'Courier 2 km away');
  const agent = page.locator('svg .agent circle').first();
  const before = await agent.getAttribute('cx');
  await place.moveAgent(51.5342, -0.1557);
  await says(page, 'Courier 3.3 km away');
  assert.notEqual(await agent.getAttribute('cx'), before);
  assert.equal(await overflowOf(page), 0);
  await place.moveAgent(51.5073, -0.1357, 0);
  await becomes('The courier has arrived');
  await place.step(task.id, 'completed');
  await becomes('Completed');
  assert.equal(await page.locator('svg').count(), 0);
  assert.equal(await page.getByRole('listitem').last().getAttribute('aria-current'), 'step');

  await page.getByLabel('4 of 5').check();
  await page.getByLabel('Comment (optional)').fill('Quick, and kind.');
  await page.getByRole('button', { name: 'Send rating' }).click();
  await says(page, '4 of 5. Thank you.');
  await says(page, 'Quick, and kind.');
  assert.deepEqual([troubles, strangers], [[], []]);
  await page.close();
});

test('a page follows the address and the window of its task', WITH_BROWSER, async () => {
  const task = await place.api.createTask({ windowStart: '2030-01-01T10:00:00Z' });
  const { page, troubles } = await open(task.trackingUrl);
  await says(page, 'from 1 Jan 2030, 10:00');
  const amended = await place.api.post(`/tasks/${task.id}/amend`, {
    windowStart: '2030-02-03T14:00:00Z',
    location: LEITH,
  });
  assert.equal(amended.status, 200, amended.text);
  await says(page, 'from 3 Feb 2030, 14:00');
  await says(page, '7 Harbour Street, Leith');
  assert.equal(await page.getByText('10:00').count(), 0);
  assert.deepEqual(troubles, []);
  await page.close();
});

test(
  'the page of a job shows a part that joins it, and loses no comment that is being written',
  WITH_BROWSER,
  async () => {
    const part = { taskType: 'delivery', customer: { name: 'Ada', phone: '+442079460001' }, location: LEITH };
    const job = await place.api.createTask({ name: 'Round', children: [{ ...part, name: 'First stop' }] });
    const { page, troubles } = await open(job.trackingUrl);
    const join = async (name: string) => {
      const { status, text, body } = await place.api.post<TaskView>('/tasks', { ...part, name, parentId: job.id });
      assert.equal(status, 201, text);
      return body.data.id;
    };
    const second = await join('Second stop');
    await says(page, 'Second stop');
    assert.equal(await page.getByRole('article').count(), 2);
    await says(page, 'Round');

    await place.bringTo(job.children[0]!.id, 'completed');
    await page.getByLabel('Comment (optional)').fill('Quick, and kind.');
    await join('Third stop');
    await place.assign(second);
    await page.getByRole('status').getByText('Courier found').waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    await page.getByLabel('4 of 5').check();
    await page.getByRole('button', { name: 'Send rating' }).click();
    await says(page, 'Quick, and kind.');
    assert.equal(await page.getByRole('article').count(), 3);
    assert.deepEqual(troubles, []);
    await page.close();
  },
);

test('a page shows times in the zone of the organization, wherever its reader is', WITH_BROWSER, async () => {
  const task = await place.api.createTask({ windowStart: '2030-01-01T20:00:00Z' });
  const path = `/organizations/${place.organizationId}`;
  assert.equal((await place.api.patch(path, { settings: { timeZone: 'America/New_York' } })).status, 200);
  const { page } = await open(task.trackingUrl);
  await says(page, 'from 1 Jan 2030, 15:00');
  await says(page, 'Times are in Eastern Time.');
  assert.equal((await place.api.patch(path, { settings: { timeZone: null } })).status, 200);
  await page.close();
});

test('a page says the same without scripts, and takes a rating', WITH_BROWSER, async () => {
  const task = await place.api.createTask();
  await place.bringTo(task.id, 'completed');
  const { page, troubles } = await open(task.trackingUrl, { ...PHONE, javaScriptEnabled: false });
  await says(page, 'Completed');
  await says(page, 'Look again');
  await page.getByLabel('5 of 5').check();
  await page.getByRole('button', { name: 'Send rating' }).click();
  await says(page, '5 of 5. Thank you.');
  assert.deepEqual(troubles, []);
  await page.close();
});

test('hostile texts do nothing on a page, nor do they widen it', WITH_BROWSER, async () => {
  const texts = Object.values(HOSTILE_TEXTS);
  const children = texts.map((text) => ({
    name: text,
    code: text,
    taskType: 'delivery',
    customer: { name: 'Ada Lovelace', phone: '+442079460001' },
    location: { address: text, latitude: 51.5, longitude: -0.1 },
  }));
  const job = await place.api.createTask({ name: texts[0], children });
  for (const [index, { id, ...task }] of job.children.entries()) {
    await place.bringTo(id, 'completed');
    assert.equal((await place.rate(id, tokenOf(task), { score: 5, comment: texts[index]! })).status, 201);
  }
  const { page, troubles, strangers } = await open(job.trackingUrl);
  assert.equal(await page.title(), 'Completed · Test organization');
  assert.equal(await page.getByRole('article').count(), texts.length);
  assert.equal(await page.getByRole('heading', { name: 'Your rating' }).count(), texts.length);
  assert.equal(await overflowOf(page), 0);
  assert.deepEqual([troubles, strangers], [[], []]);
  await page.close();
});

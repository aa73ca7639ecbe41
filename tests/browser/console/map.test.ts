import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../../api/api-fixture.ts';
import { dayOf } from '../../api/exceptions/day-of.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { assertAccessible, openConsole, seedDispatcher, signIn, untilSeen } from './console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();
/** Longer than a slow map waits for its next drawing. */
const RING_MS = 2_000;
const order = (last: number, latitude: number, longitude: number) => ({
  customer: { name: `Customer ${last}`, phone: `+44207946000${last}` },
  location: { address: `Low St ${last}`, latitude, longitude },
});

test('the map numbers the stops of a courier, selects tasks by a box, and opens a cluster', WITH_BROWSER, async () => {
  const day = await dayOf(fixture, {}, 1);
  const [{ api: courier }] = day.agents as [(typeof day.agents)[0]];
  await day.taskIn('accepted', order(1, 51.5, -0.13));
  await day.taskIn('accepted', order(2, 51.51, -0.12));
  await day.api.createTask(order(3, 51.505, -0.11));
  const points = [0, 1, 2].map((at) => ({
    latitude: 51.5 + at / 1_000,
    longitude: -0.125,
    recordedAt: new Date(Date.now() - 3_000 + at * 1_000).toISOString(),
  }));
  assert.ok((await courier.post('/agents/me/locations', { points })).status < 300);
  const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl, { drawsMap: true });
  await signIn(page, await seedDispatcher(fixture, day.organizationId));
  const name = page.locator('.group-row button.name');
  await name.click();
  await page.getByRole('button', { name: /^Stop 1/ }).waitFor();
  await page.getByRole('button', { name: /^Stop 2/ }).waitFor();
  await page.getByText('2 stops in planned order · trail of 30 min').waitFor();
  await assertAccessible(page, 'stops on the map');
  await page.getByRole('button', { name: /^Stop 1/ }).click();
  await page.locator('.panel').getByText('Low St').first().waitFor();
  await page.keyboard.press('Escape');
  await name.click();
  await page.locator('.stop-marker').first().waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Show everything' }).click();
  const { x, y, width, height } = (await page.locator('.maplibregl-canvas').boundingBox())!;
  await page.keyboard.down('Shift');
  await page.mouse.move(x + 5, y + 5);
  await page.mouse.down();
  await page.mouse.move(x + width - 5, y + height - 5, { steps: 3 });
  assert.equal(await page.locator('.map-box').count(), 1);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.getByText('3 selected').waitFor();
  assert.equal(await page.locator('.task-row.selected').count(), 3, 'the selection is that of the list');
  await page.keyboard.press('Escape');
  await page.getByText('3 selected').waitFor({ state: 'detached' });

  const scale = async () => (await page.locator('.maplibregl-ctrl-scale').textContent()) ?? '';
  for (let step = 0; step < 6; step++) await page.getByRole('button', { name: 'Farther' }).click();
  await untilSeen('the map shows the whole city', async () => (await scale()).endsWith('km'));
  const far = await scale();
  await untilSeen('a click has opened the cluster', async () => {
    await page.mouse.click(x + width / 2, y + height / 2);
    return (await scale()) !== far;
  });

  for (let step = 0; step < 6; step++) await page.getByRole('button', { name: 'Farther' }).click();
  await untilSeen('the map is far from the courier', async () => (await scale()).endsWith('km'));
  await name.click();
  await page.getByRole('button', { name: 'Follow' }).click();
  await untilSeen('the map is near him', async () => !(await scale()).endsWith('km'));
  assert.deepEqual(troubles, []);
  await page.context().close();
});

test(
  'a click on a courier chooses it, and the couriers come back after the graphics card was lost',
  WITH_BROWSER,
  async () => {
    const day = await dayOf(fixture, {}, 1);
    const [{ api: courier }] = day.agents as [(typeof day.agents)[0]];
    const point = { latitude: 51.5, longitude: -0.125, recordedAt: new Date().toISOString() };
    assert.ok((await courier.post('/agents/me/locations', { points: [point] })).status < 300);
    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl, { drawsMap: true });
    await signIn(page, await seedDispatcher(fixture, day.organizationId));
    await page.locator('.connection.live').waitFor();
    const { x, y, width, height } = (await page.locator('.maplibregl-canvas').boundingBox())!;
    const centre = { x: x + width / 2, y: y + height / 2 };
    // The map goes to the only thing there is.
    await untilSeen('the courier is chosen', async () => {
      if ((await page.locator('.map-chosen').count()) === 1) return true;
      await page.mouse.click(centre.x, centre.y);
      return false;
    });
    await page.mouse.click(centre.x, centre.y);
    await page.locator('.map-chosen').waitFor({ state: 'detached' });
    await page.mouse.move(x + 20, y + 20);
    const around = { x: centre.x - 40, y: centre.y - 40, width: 80, height: 80 };
    const look = async () => (await page.screenshot({ clip: around })).toString('base64');
    // On a slow map the ring around a chosen courier goes a moment after the panel.
    let drawn = await look();
    await untilSeen('the ring around the courier is gone', async () => {
      const before = drawn;
      await page.waitForTimeout(RING_MS);
      drawn = await look();
      return drawn === before;
    });
    await page.evaluate(`{
    globalThis.card = document.querySelector('.maplibregl-canvas').getContext('webgl2').getExtension('WEBGL_lose_context');
    card.loseContext();
  }`);
    await untilSeen('the couriers are gone', async () => (await look()) !== drawn);
    await page.evaluate('card.restoreContext()');
    await untilSeen('the couriers are back', async () => (await look()) === drawn);
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

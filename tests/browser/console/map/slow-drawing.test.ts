import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useGateway } from '../../../api/api-fixture.ts';
import { dayOf } from '../../../api/exceptions/day-of.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { openConsole, seedDispatcher, signIn, untilSeen } from '../console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

/** A graphics card that needs so long for each drawing; and how often a drawing came from the buffer beside the canvas. */
const slowCard = (drawMs: number) => `
  const card = WebGL2RenderingContext.prototype;
  const begun = new WeakMap();
  const { fenceSync, getSyncParameter, blitFramebuffer } = card;
  card.fenceSync = function (...given) {
    const fence = fenceSync.apply(this, given);
    begun.set(fence, performance.now());
    return fence;
  };
  card.getSyncParameter = function (fence, name) {
    return performance.now() - begun.get(fence) < ${drawMs} ? this.UNSIGNALED : getSyncParameter.call(this, fence, name);
  };
  globalThis.shown = 0;
  card.blitFramebuffer = function (...given) {
    globalThis.shown += 1;
    blitFramebuffer.apply(this, given);
  };`;

const shown = (page: Page) => page.evaluate<number>('shown');
const look = async (page: Page) => (await page.locator('.map-ground').screenshot()).toString('base64');

test('a map that draws slowly shows what any other map shows, also beside a panel', WITH_BROWSER, async () => {
  const day = await dayOf(fixture, {}, 1);
  const [{ api: courier }] = day.agents as [(typeof day.agents)[0]];
  const { id } = await day.taskIn('accepted', {
    customer: { name: 'Customer', phone: '+442079460001' },
    location: { address: 'Low St 1', latitude: 51.51, longitude: -0.12 },
  });
  const move = async (longitude: number) => {
    const point = { latitude: 51.5, longitude, recordedAt: new Date().toISOString() };
    assert.ok((await courier.post('/agents/me/locations', { points: [point] })).status < 300);
  };
  await move(-0.13);
  const login = await seedDispatcher(fixture, day.organizationId);
  const [slow, quick] = [
    await openConsole(chrome.browser, fixture.gateway.baseUrl, { drawsMap: true }),
    await openConsole(chrome.browser, fixture.gateway.baseUrl, { drawsMap: true }),
  ];
  await slow.page.addInitScript(slowCard(150));
  await slow.page.reload();
  for (const { page } of [slow, quick]) {
    await signIn(page, login);
    await page.locator('.connection.live').waitFor();
    await page.locator('.maplibregl-canvas').waitFor();
  }
  const isAlike = async () => (await look(slow.page)) === (await look(quick.page));
  // Each map goes to what comes first.
  await untilSeen('the slow map is the same', async () => {
    for (const { page } of [slow, quick]) await page.getByRole('button', { name: 'Show everything' }).click();
    return isAlike();
  });
  const before = await look(slow.page);
  const drawings = await shown(slow.page);
  await move(-0.125);
  await untilSeen('the courier has moved on the slow map', async () => (await look(slow.page)) !== before);
  assert.ok((await shown(slow.page)) > drawings, 'the drawing came from the buffer');
  await untilSeen('the slow map is the same again', isAlike);
  for (const { page } of [slow, quick]) await page.locator(`[data-task="${id}"]`).click();
  for (const { page } of [slow, quick]) await page.locator('.panel .code').waitFor();
  await untilSeen('the slow map is the same beside a panel', isAlike);
  await slow.page.evaluate(`{
    globalThis.card = document.querySelector('.maplibregl-canvas').getContext('webgl2').getExtension('WEBGL_lose_context');
    card.loseContext();
  }`);
  await untilSeen('the slow map is gone', async () => !(await isAlike()));
  await slow.page.evaluate('card.restoreContext()');
  await untilSeen('the slow map is back', isAlike);
  assert.deepEqual([...slow.troubles, ...quick.troubles], []);
  for (const { page } of [slow, quick]) await page.context().close();
});

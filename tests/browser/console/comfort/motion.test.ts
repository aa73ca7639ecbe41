import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../../../api/agents/agent-place.ts';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { until } from '../../../support/until.ts';
import { openConsole, pressChord, seedDispatcher, signIn } from '../console-place.ts';

const fixture = useGateway({ organization: { role: 'dispatcher' } });
const chrome = useBrowser();

/** The longest that an element of the page takes for a change of its look, in milliseconds, and what moves at the moment. */
const MOTION = `(() => {
  const ms = (list) => Math.max(...list.split(',').map((each) => parseFloat(each) * (each.trim().endsWith('ms') ? 1 : 1000)));
  const looks = [...document.querySelectorAll('*')].flatMap((element) =>
    [null, '::before', '::after'].map((part) => getComputedStyle(element, part)));
  return {
    longest: Math.max(...looks.map((look) => Math.max(ms(look.transitionDuration), ms(look.animationDuration)))),
    moving: document.getAnimations().length,
  };
})()`;

interface Motion {
  readonly longest: number;
  readonly moving: number;
}

/** Counts the places that the map goes through on its way closer and back, by its scale. */
const WATCH_SCALE = `(() => {
  const scale = document.querySelector('.maplibregl-ctrl-scale');
  const now = () => scale.textContent + ' ' + scale.style.width;
  window.scales = [now()];
  new MutationObserver(() => now() !== window.scales.at(-1) && window.scales.push(now()))
    .observe(scale, { attributes: true, childList: true, characterData: true, subtree: true });
})()`;

async function assertStill(page: Page, where: string): Promise<void> {
  const { longest, moving } = await page.evaluate<Motion>(MOTION);
  assert.ok(longest <= 1, `${where}: something takes ${longest} ms`);
  assert.equal(moving, 0, where);
}

test(
  'nothing moves by itself for a person who wants no motion, and otherwise for 200 ms at most',
  WITH_BROWSER,
  async () => {
    const { api, gateway } = fixture;
    const agent = await createAgent(api, { name: 'Amina Diallo' });
    assert.equal((await api.put(`/agents/${agent.id}/duty`, { onDuty: true })).status, 200);
    const task = await api.createTask({ name: 'Still', customer: { name: 'Still', phone: '+442079460081' } });
    assert.equal((await api.post(`/tasks/${task.id}/assign`, { agentId: agent.id })).status, 200);
    const { page } = await openConsole(chrome.browser, gateway.baseUrl, { reducedMotion: 'reduce', drawsMap: true });
    await signIn(page, await seedDispatcher(fixture, gateway.organizationId));
    await page.locator('.group-row').getByText('Amina Diallo').click();
    await page.locator('.stop-marker').waitFor();
    await page.getByRole('button', { name: 'Fold Amina Diallo' }).click();
    await assertStill(page, 'list and map');

    await page.evaluate(WATCH_SCALE);
    const scales = () => page.evaluate<string[]>('window.scales');
    await page.getByRole('button', { name: 'Closer' }).click();
    await until('the map is closer', async () => (await scales()).length > 1);
    await page.getByRole('button', { name: 'Farther' }).click();
    await until('the map is back', async () => (await scales()).at(-1) === (await scales())[0]);
    assert.equal((await scales()).length, 3, 'the map jumps');

    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await assertStill(page, 'palette');
    await page.keyboard.press('Escape');
    for (const key of ['b', 'a', 'c', 'h', 's', 'm']) {
      await pressChord(page, 'g', key);
      await page.locator('[aria-current="page"]').first().waitFor();
      await assertStill(page, `g ${key}`);
    }

    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const { longest } = await page.evaluate<Motion>(MOTION);
    assert.ok(longest > 1 && longest <= 200, `otherwise something takes ${longest} ms`);
    await page.context().close();
  },
);

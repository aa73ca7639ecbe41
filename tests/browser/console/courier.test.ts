import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgent } from '../../api/agents/agent-place.ts';
import { useGateway } from '../../api/api-fixture.ts';
import { dayOf } from '../../api/exceptions/day-of.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';
import { assertAccessible, openConsole, pressChord, seedDispatcher, signIn } from './console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

test(
  'the page of a courier shows his day as it changes, and leads to the map; a courier added elsewhere is known soon',
  WITH_BROWSER,
  async () => {
    const day = await dayOf(fixture, {}, 1);
    const { api, organizationId } = day;
    const [{ agentId, api: courier }] = day.agents as [(typeof day.agents)[0]];
    // A customer is known by the phone number.
    const customer = (name: string, last: number) => ({ customer: { name, phone: `+44207946000${last}` } });
    await day.taskIn('completed', customer('Done Already', 1));
    const windowEnd = new Date(Date.now() + 3_600_000).toISOString();
    const next = await day.taskIn('accepted', { ...customer('Ada Lovelace', 2), windowEnd });
    const points = [
      { latitude: 51.5, longitude: -0.13, recordedAt: new Date().toISOString(), battery: 71, accuracy: 8 },
    ];
    assert.ok((await courier.post('/agents/me/locations', { points })).status < 300);

    const { page, troubles } = await openConsole(chrome.browser, fixture.gateway.baseUrl, {
      path: `/console/couriers/${agentId}`,
      drawsMap: true,
    });
    await signIn(page, await seedDispatcher(fixture, organizationId));
    const line = (text: string) => page.locator('.day li').filter({ hasText: text });
    await line('Done Already')
      .getByText(/^done \d/)
      .waitFor();
    await line('Ada Lovelace')
      .getByText(/^not after \d/)
      .waitFor();
    await page.getByText('71 %').waitFor();
    await page.getByText('within 8 m').waitFor();
    await assertAccessible(page, 'courier, light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertAccessible(page, 'courier, dark');

    // It is live: a task that comes and one that goes.
    assert.equal((await api.put(`/tasks/${next.id}/status`, { status: 'in_transit' })).status, 200);
    await line('Ada Lovelace').getByTitle('On its way').waitFor();
    const last = await day.taskIn('assigned', customer('Came Later', 3));
    await line('Came Later').waitFor();
    assert.equal((await api.post(`/tasks/${last.id}/unassign`, {})).status, 200);
    await line('Came Later').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Follow on the map' }).click();
    await page.getByRole('button', { name: 'Follow', pressed: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/console');

    // No event announces him.
    await pressChord(page, 'g', 'c');
    await page.getByRole('heading', { name: 'Couriers' }).waitFor();
    await createAgent(api, { name: 'Bruno Costa' });
    await page.getByRole('link', { name: 'Bruno Costa' }).waitFor();
    // The palette leads to him, also while something else is being typed.
    await page.getByLabel('Find a courier').fill('b');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('costa');
    await page.getByRole('option', { selected: true }).filter({ hasText: 'Bruno Costa' }).waitFor();
    await assertAccessible(page, 'palette');
    await page.keyboard.press('Enter');
    await page.getByText('No stop yet today.').waitFor();
    await page.goto(`${fixture.gateway.baseUrl}/console/couriers/999000`);
    await page.getByText('This courier does not exist, or you may not see it.').waitFor();
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

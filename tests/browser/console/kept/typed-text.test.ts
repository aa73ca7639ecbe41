import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { openConsole, pressChord, seedDispatcher, signIn } from '../console-place.ts';
import { startCuttableProxy } from '../cuttable-proxy.ts';

const fixture = useGateway();
const chrome = useBrowser();

test(
  'a new task whose answer is lost is made once, also by a form that was closed meanwhile',
  WITH_BROWSER,
  async () => {
    const { organizationId, api } = await fixture.organization({ role: 'dispatcher' });
    const proxy = await startCuttableProxy(fixture.gateway.baseUrl);
    const count = async () => (await api.get<{ count: number }>('/tasks')).body.data.count;
    try {
      const { page } = await openConsole(chrome.browser, proxy.baseUrl);
      await signIn(page, await seedDispatcher(fixture, organizationId));
      await page.getByText('No open task').waitFor();
      await page.keyboard.press('n');
      await page.getByLabel('What').fill('Oranges');
      await page.getByLabel('Customer', { exact: true }).fill('Ada Lovelace');
      await page.getByLabel('Phone with country code').fill('+442079460001');
      await page.getByLabel('Address', { exact: true }).fill('Low St 1');
      await page.getByLabel('Pin').fill('51.5, -0.12');
      const create = page.getByRole('button', { name: 'Create task' });
      proxy.loseAnswersTo('/api/v1/tasks');
      await create.click();
      await page.locator('.panel').getByText('Nothing is lost').waitFor();
      assert.equal(await count(), 1);
      proxy.mend();
      await page.locator('.panel h2').click();
      await page.keyboard.press('Escape');
      await pressChord(page, 'g', 'c');
      await pressChord(page, 'g', 'm');
      await page.keyboard.press('n');
      await create.click();
      await page.locator('.panel').getByRole('heading', { name: 'Oranges' }).waitFor();
      assert.equal(await count(), 1);
      await page.context().close();
    } finally {
      proxy.close();
    }
  },
);

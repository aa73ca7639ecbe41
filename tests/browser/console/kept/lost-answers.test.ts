import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { seedSession, seedUser } from '../../../support/seeds/seed.ts';
import { openConsole, PASSWORD, signIn } from '../console-place.ts';
import { startCuttableProxy } from '../cuttable-proxy.ts';

const fixture = useGateway();
const chrome = useBrowser();

test('a webhook and a channel whose answers are lost are made once, and show their secrets', WITH_BROWSER, async () => {
  const { databaseUrl, baseUrl } = fixture.gateway;
  const { organizationId } = await fixture.organization();
  const admin = await seedUser(databaseUrl, organizationId, 'org_admin', PASSWORD);
  const api = fixture.clientOf(await seedSession(databaseUrl, organizationId, admin.userId));
  const count = async (path: string) => (await api.get<{ count: number }>(path)).body.data.count;
  const proxy = await startCuttableProxy(baseUrl);
  try {
    const { page } = await openConsole(chrome.browser, proxy.baseUrl, { path: '/console/settings/webhooks' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await signIn(page, admin);
    await button('Add a webhook').click();
    await page.getByLabel('Address').fill('https://1.1.1.1/hook');
    proxy.loseAnswersTo('/api/v1/webhooks');
    await button('Add webhook').click();
    await page.getByText('Nothing is lost').waitFor();
    assert.equal(await count('/webhooks'), 1);
    proxy.mend();
    await button('Add webhook').click();
    assert.match(await page.getByLabel('Secret', { exact: true }).inputValue(), /^whsec_/);
    assert.equal(await count('/webhooks'), 1);

    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Channels' }).click();
    const before = await count('/channels');
    await page.getByLabel('Name').fill('Web shop');
    proxy.loseAnswersTo('/api/v1/channels');
    await button('Add').click();
    await page.getByText('Nothing is lost').waitFor();
    proxy.mend();
    await button('Add').click();
    const key = await page.getByLabel('Key', { exact: true }).inputValue();
    assert.equal(await count('/channels'), before + 1);
    assert.equal((await fixture.clientOf(key).get('/auth/me')).status, 200);
    await page.context().close();
  } finally {
    proxy.close();
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endSessionsOf } from '../../../../engine/store/accounts/operator-store.ts';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { seedUser, withSql } from '../../../support/seeds/seed.ts';
import { assertAccessible, openConsole, PASSWORD, signIn } from '../console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

async function seedAdmin() {
  const { organizationId } = await fixture.organization();
  return { organizationId, ...(await seedUser(fixture.gateway.databaseUrl, organizationId, 'org_admin', PASSWORD)) };
}

test(
  'settings that are typed and a key that is shown once stay behind the sign-in of a session that has ended, for their user alone',
  WITH_BROWSER,
  async () => {
    const { databaseUrl, baseUrl } = fixture.gateway;
    const [first, second] = [await seedAdmin(), await seedAdmin()];
    const { page, troubles } = await openConsole(chrome.browser, baseUrl, { path: '/console/settings' });
    const endSession = async () => {
      await withSql(databaseUrl, (sql) => endSessionsOf(sql, first.organizationId, first.userId));
      await page.getByText('Your session has ended').waitFor();
    };
    const nav = page.getByRole('navigation', { name: 'Views' });
    const channels = page.getByRole('navigation', { name: 'Sections of the settings' }).getByText('Channels');
    const phone = page.getByLabel('Phone for customers');
    const key = page.getByLabel('Key', { exact: true });
    await signIn(page, first);
    await phone.fill('+442079460009');
    await endSession();
    assert.ok(!(await phone.isVisible()));
    await assertAccessible(page, 'the sign-in over a console');
    assert.equal(await page.evaluate<string>('document.activeElement.type'), 'email');
    await signIn(page, first);
    await nav.waitFor();
    assert.equal(await phone.inputValue(), '+442079460009');

    await channels.click();
    await page.getByLabel('Name').fill('Web shop');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const made = await key.inputValue();
    await endSession();
    assert.ok(!(await key.isVisible()));
    await signIn(page, first);
    await key.waitFor();
    assert.equal(await key.inputValue(), made);
    await page.keyboard.press('Escape');
    await key.waitFor({ state: 'detached' });
    await page.getByLabel('Name').fill('Another shop');

    await endSession();
    await signIn(page, second);
    await channels.click();
    assert.equal(await page.getByLabel('Name').inputValue(), '');
    assert.deepEqual(
      troubles.filter((each) => !each.includes('401')),
      [],
    );
    await page.context().close();
  },
);

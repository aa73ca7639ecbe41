import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../../../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../../../support/browser.ts';
import { openConsole, PASSWORD, seedDispatcher, signIn } from '../console-place.ts';

const fixture = useGateway();
const chrome = useBrowser();

/** Puts the tokens of another user where all tabs have them, as the console of another tab does. This tab does not hear it. */
const putTokens = (pair: object) => `new Promise((resolve, reject) => {
  const opening = indexedDB.open('dispatch-console');
  opening.onerror = reject;
  opening.onsuccess = () => {
    const transaction = opening.result.transaction('tokens', 'readwrite');
    transaction.objectStore('tokens').put(${JSON.stringify(pair)}, 'session');
    transaction.oncomplete = () => resolve();
  };
})`;

test(
  'a tab that has not heard of a sign-out goes on as the user who has signed in in another tab, with nothing of the last one',
  WITH_BROWSER,
  async () => {
    const { baseUrl } = fixture.gateway;
    const [first, second] = [
      await fixture.organization({ role: 'dispatcher' }),
      await fixture.organization({ role: 'dispatcher' }),
    ];
    await first.api.createTask({ customer: { name: 'Of The First', phone: '+442079460001' } });
    await second.api.createTask({ customer: { name: 'Of The Second', phone: '+442079460001' } });
    const { page, troubles } = await openConsole(chrome.browser, baseUrl);
    const row = (text: string) => page.locator('.task-row').filter({ hasText: text });
    await signIn(page, await seedDispatcher(fixture, first.organizationId));
    await row('Of The First').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('What').fill('Of The First');

    const { email } = await seedDispatcher(fixture, second.organizationId);
    const login = await fetch(`${baseUrl}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    const { data } = (await login.json()) as {
      data: { accessToken: string; refreshToken: string; expiresIn: number };
    };
    const { accessToken, refreshToken, expiresIn } = data;
    await page.evaluate(putTokens({ accessToken, refreshToken, expiresAtMs: Date.now() + expiresIn * 1_000 }));
    await row('Of The Second').waitFor();
    assert.equal(await row('Of The First').count(), 0);
    await page.keyboard.press('n');
    assert.equal(await page.getByLabel('What').inputValue(), '');
    // The list is alive.
    await second.api.createTask({ customer: { name: 'Came Later', phone: '+442079460002' } });
    await row('Came Later').waitFor();
    assert.deepEqual(troubles, []);
    await page.context().close();
  },
);

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../support/browser.ts';
import { seedSession, seedUser } from '../support/seeds/seed.ts';
import { startTestGateway } from '../support/system/gateway.ts';
import { openTab } from './open-tab.ts';
import { startOtherOrigin } from './other-origin.ts';
import { ACCESS_TOKEN_TTL_SECONDS, PASSWORD, staySignedIn } from './stay-signed-in.ts';

const origin = await startOtherOrigin();
const fixture = useGateway({
  environment: { ACCESS_TOKEN_TTL_SECONDS: `${ACCESS_TOKEN_TTL_SECONDS}`, CORS_ORIGINS: origin },
});
const chrome = useBrowser();

test(
  'two tabs of another origin that refresh at once stay signed in, with tokens of their own and with shared ones',
  WITH_BROWSER,
  async () => {
    const rounds = 3;
    const [own, shared] = await Promise.all([
      staySignedIn(fixture, chrome.browser, origin, 'own', rounds),
      staySignedIn(fixture, chrome.browser, origin, 'shared', rounds),
    ]);
    assert.ok(own >= 2 * rounds && shared >= rounds, `${own} and ${shared} refreshes`);
  },
);

test(
  'without CORS_ORIGINS the same tab cannot sign in, and reads nothing with a good token',
  WITH_BROWSER,
  async () => {
    const gateway = await startTestGateway();
    const context = await chrome.browser.newContext();
    try {
      const { databaseUrl, organizationId, baseUrl } = gateway;
      const user = await seedUser(databaseUrl, organizationId, 'dispatcher', PASSWORD);
      const accessToken = await seedSession(databaseUrl, organizationId, user.userId);
      const tab = await openTab(context, { origin, baseUrl }, 'own');
      const nothing = /TypeError: Failed to fetch/;
      await assert.rejects(tab.signIn(user), nothing);
      await tab.takeOver({ tokens: async () => ({ accessToken, refreshToken: 'none' }) });
      for (const path of ['/auth/me', '/tasks']) await assert.rejects(tab.read(path), nothing);
      await assert.rejects(tab.openStream(organizationId), nothing);
      const me = await fetch(`${baseUrl}/api/v1/auth/me`, { headers: { authorization: `Bearer ${accessToken}` } });
      assert.equal(me.status, 200, 'without a browser the token is good');
    } finally {
      await context.close();
      await gateway.stop();
    }
  },
);

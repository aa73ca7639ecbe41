import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../../api/api-fixture.ts';
import { startOtherOrigin } from '../../browser/other-origin.ts';
import { ACCESS_TOKEN_TTL_SECONDS, staySignedIn } from '../../browser/stay-signed-in.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';

const origin = await startOtherOrigin();
const fixture = useGateway({
  environment: { ACCESS_TOKEN_TTL_SECONDS: `${ACCESS_TOKEN_TTL_SECONDS}`, CORS_ORIGINS: origin },
});
const chrome = useBrowser();

/** One of two rounds waits until the access tokens have expired: five minutes in all. */
const ROUNDS = (2 * 300) / ACCESS_TOKEN_TTL_SECONDS;

test(
  'two tabs of another origin that refresh at once stay signed in for five minutes of short access tokens',
  WITH_BROWSER,
  async (t) => {
    const [own, shared] = await Promise.all([
      staySignedIn(fixture, chrome.browser, origin, 'own', ROUNDS),
      staySignedIn(fixture, chrome.browser, origin, 'shared', ROUNDS),
    ]);
    t.diagnostic(`${ROUNDS} rounds: ${own} refreshes with tokens of their own, ${shared} with shared ones`);
    assert.ok(own >= 2 * ROUNDS && shared >= ROUNDS, `${own} and ${shared} refreshes`);
  },
);

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../../api/api-fixture.ts';
import { ACCESS_TOKEN_TTL_SECONDS, staySignedIn } from '../../browser/stay-signed-in.ts';
import { useBrowser, WITH_BROWSER } from '../../support/browser.ts';

const fixture = useGateway({ environment: { ACCESS_TOKEN_TTL_SECONDS: `${ACCESS_TOKEN_TTL_SECONDS}` } });
const chrome = useBrowser();

/** Of two rounds, one waits until the access tokens have expired: five minutes in all. */
const ROUNDS = (2 * 300) / ACCESS_TOKEN_TTL_SECONDS;

test('two tabs that refresh at once stay signed in for five minutes of short access tokens', WITH_BROWSER, async () => {
  const [own, shared] = await Promise.all([
    staySignedIn(fixture, chrome.browser, 'own', ROUNDS),
    staySignedIn(fixture, chrome.browser, 'shared', ROUNDS),
  ]);
  assert.ok(own >= 2 * ROUNDS && shared >= ROUNDS, `${own} and ${shared} refreshes`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useGateway } from '../api/api-fixture.ts';
import { useBrowser, WITH_BROWSER } from '../support/browser.ts';
import { ACCESS_TOKEN_TTL_SECONDS, staySignedIn } from './stay-signed-in.ts';

const fixture = useGateway({ environment: { ACCESS_TOKEN_TTL_SECONDS: `${ACCESS_TOKEN_TTL_SECONDS}` } });
const chrome = useBrowser();

test(
  'two tabs that refresh at once stay signed in, with tokens of their own and with shared ones',
  WITH_BROWSER,
  async () => {
    const rounds = 3;
    const [own, shared] = await Promise.all([
      staySignedIn(fixture, chrome.browser, 'own', rounds),
      staySignedIn(fixture, chrome.browser, 'shared', rounds),
    ]);
    assert.ok(own >= 2 * rounds && shared >= rounds, `${own} and ${shared} refreshes`);
  },
);

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import type { CallerView } from '../../schema/accounts/caller.ts';
import type { ApiFixture } from '../api/api-fixture.ts';
import { seedUser } from '../support/seeds/seed.ts';
import { until } from '../support/until.ts';
import { openTab, type Tab, type TokenKeeping } from './open-tab.ts';

/** The shortest life that an access token may have. */
export const ACCESS_TOKEN_TTL_SECONDS = 5;
const EXPIRED_MS = ACCESS_TOKEN_TTL_SECONDS * 1_000 + 500;
export const PASSWORD = 'correct horse battery staple';

/**
 * Two tabs of one session, of an application at `origin`, of which each sends its requests at the same time as the other, for `rounds` lives of their
 * access tokens. They refresh at once, with one refresh token or each with its own. Rejects when one is signed out, or
 * loses its stream or an event of it. Returns how often they have refreshed.
 */
export async function staySignedIn(
  { gateway, organization }: ApiFixture,
  browser: Browser,
  origin: string,
  keeping: TokenKeeping,
  rounds: number,
): Promise<number> {
  const { organizationId, api } = await organization();
  const user = await seedUser(gateway.databaseUrl, organizationId, 'dispatcher', PASSWORD);
  const context = await browser.newContext();
  const origins = { origin, baseUrl: gateway.baseUrl };
  try {
    const [first, second] = [await openTab(context, origins, keeping), await openTab(context, origins, keeping)];
    await first.signIn(user);
    if (keeping === 'own') await second.takeOver(first);
    const both = <T>(act: (tab: Tab) => Promise<T>) => Promise.all([first, second].map(act));
    for (const { user: caller } of await both((tab) => tab.read<CallerView>('/auth/me')))
      assert.deepEqual([caller.id, caller.role], [user.userId, 'dispatcher']);
    await both((tab) => tab.openStream(organizationId));
    const made: number[] = [];
    for (let round = 0; round < rounds; round++) {
      // Every other time before a call finds the access token expired.
      if (round % 2 === 0) await delay(EXPIRED_MS);
      else await both((tab) => tab.refresh());
      made.push((await api.createTask()).id);
      for (const { count } of await both((tab) => tab.read<{ count: number }>('/tasks')))
        assert.equal(count, made.length);
      for (const tab of [first, second])
        await until('the event is there', async () => (await tab.streamed()).length >= made.length);
    }
    assert.deepEqual(await both((tab) => tab.streamed()), [made, made]);
    return (await both((tab) => tab.refreshes())).reduce((sum, count) => sum + count);
  } finally {
    await context.close();
  }
}

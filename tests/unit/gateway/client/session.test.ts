import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore, Session, type TokenPair } from '../../../../gateway/client/session.ts';
import { until } from '../../../support/until.ts';
import { refused, type Step, standInService, success } from './stand-in-service.ts';

/** Tabs of one browser: what one of them does while another one waits for the service. */

const pairOf = (name: string, expiresAtMs = Date.now() + 900_000): TokenPair => ({
  accessToken: `da_${name}`,
  refreshToken: `dr_${name}`,
  expiresAtMs,
});
const tokens = (name: string) => success({ ...pairOf(name), expiresIn: 900 });
const LOGIN = { email: 'ada@example.com', password: 'a few easy words' };
const OLD = { authorization: 'Bearer da_old' };

async function tabsWith(pair: TokenPair, ...steps: readonly Step[]) {
  const store = memoryStore();
  await store.write(pair);
  const { fetch, seen } = standInService(...steps);
  const tab = () => new Session({ baseUrl: 'http://service', store, fetch, retry: { giveUpAfterMs: 0 } });
  return {
    tabs: [tab(), tab()] as const,
    stored: async () => (await store.read())?.accessToken,
    /** Resolves once that many requests are under way. */
    asked: (count: number) => until(`${count} requests`, () => seen.length === count),
    paths: () => seen.map(({ url }) => url.slice(url.lastIndexOf('/') + 1)),
    bearers: () => seen.map(({ headers }) => headers.get('authorization')),
  };
}

test('the address of a session may end with a slash as that of a client may, and needs its scheme', async () => {
  const { fetch, seen } = standInService(tokens('new'));
  await new Session({ baseUrl: 'http://service/', fetch, retry: { giveUpAfterMs: 0 } }).signIn(LOGIN);
  assert.equal(seen[0]!.url, 'http://service/api/v1/auth/login');
  assert.throws(() => new Session({ baseUrl: 'service' }), /^TypeError: baseUrl is an address/);
});

/** An answer that comes when the test says so. */
function later() {
  let answer!: (response: Response) => void;
  const coming = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  return { answer, step: () => coming };
}

for (const [what, answer] of [
  ['is refused', () => refused(401)],
  ['is answered', () => tokens('fresh')],
] as const)
  test(`a sign-in stays when a refresh that began before it ${what}`, async () => {
    const refresh = later();
    const { tabs, stored, asked } = await tabsWith(pairOf('old'), refresh.step, tokens('new'));
    const renewed = tabs[0].renew(OLD);
    await asked(1);
    await tabs[1].signIn(LOGIN);
    refresh.answer(answer());
    assert.equal(await renewed, true);
    assert.equal(await stored(), 'da_new');
    assert.deepEqual(await tabs[0].headers(), { authorization: 'Bearer da_new' });
  });

test('a sign-in while a sign-out waits for the service stays', async () => {
  const refresh = later();
  const { tabs, stored, asked, bearers } = await tabsWith(
    pairOf('old', Date.now()),
    refresh.step,
    tokens('new'),
    success({}),
  );
  const leaving = tabs[0].signOut();
  await asked(1);
  await tabs[0].signIn(LOGIN);
  refresh.answer(tokens('fresh'));
  await leaving;
  assert.equal(await stored(), 'da_new');
  assert.deepEqual(bearers(), [null, null, 'Bearer da_fresh']);
});

test('a refresh that began before a sign-out brings no tokens back, and its session ends', async () => {
  const refresh = later();
  const { tabs, stored, asked, paths, bearers } = await tabsWith(
    pairOf('old'),
    refresh.step,
    refused(401),
    tokens('again'),
    success({}),
  );
  const renewed = tabs[0].renew(OLD);
  await asked(1);
  await tabs[1].signOut();
  refresh.answer(tokens('fresh'));
  await assert.rejects(renewed, { code: 'SESSION_ENDED' });
  assert.equal(await stored(), undefined);
  assert.deepEqual(paths(), ['refresh', 'logout', 'refresh', 'logout']);
  assert.equal(bearers().at(-1), 'Bearer da_again');
});

for (const [what, pair] of [
  ['good', pairOf('old')],
  ['stale', pairOf('old', Date.now())],
] as const)
  test(`a sign-out with a ${what} access token forgets the tokens, and throws without an answer`, async () => {
    const { tabs, stored } = await tabsWith(pair, new TypeError('fetch failed'));
    await assert.rejects(tabs[0].signOut(), { code: 'NO_ANSWER' });
    assert.equal(await stored(), undefined);
  });

test('a sign-out of a session that is over, and one without tokens, are done', async () => {
  const { tabs, stored, paths } = await tabsWith(pairOf('old'), refused(401), refused(401));
  await tabs[0].signOut();
  await tabs[1].signOut();
  assert.equal(await stored(), undefined);
  assert.deepEqual(paths(), ['logout', 'refresh']);
});

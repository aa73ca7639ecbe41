import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import { hashSecret } from '../../../engine/runtime/secrets.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type ApiClient, type ApiReply, createApiClient } from '../../support/api-client.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { type SeededUser, seedUser, withSql } from '../../support/seeds/seed.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, auditOf, bearer, signIn, type Tokens } from './auth-client.ts';

/**
 * docs/contract.md §2 "Sessions": a refresh token that comes again. Each step of a case goes to the other one of two
 * gateways, so that neither can know anything that is not in Postgres.
 */

const PASSWORD = 'correct horse battery staple';
const GRACE_SECONDS = LIMITS.refreshGraceMs / 1_000;
/** An access token lives so long; only then do well-made applications refresh again. */
const NEXT_REFRESH_SECONDS = 900;

let second: TestGateway | undefined;
let gateways: readonly ApiClient[] = [];
const fixture = useGateway({ own: 'a second gateway runs at its place' }, async ({ gateway, api }) => {
  second = await startTestGateway({ place: gateway.place, environment: { GATEWAY_ID: 'second' } });
  gateways = [api, createApiClient({ baseUrl: second.baseUrl, key: gateway.key })];
});
after(async () => {
  gateways[1]?.close();
  await second?.stop();
});

/** A pair of tokens that a case names: `T` is that of the login. */
type Name = 'T' | 'A' | 'B' | 'C' | 'D' | 'E' | 'F';

type Step =
  /** Uses the refresh token of a pair. A pair is answered, which gets the name, or the status. */
  | readonly [use: Name, to: Name | 401 | 403]
  /** So many seconds pass. */
  | { readonly later: number }
  | 'logout'
  | 'password reset'
  | 'organization off'
  | 'organization on';

interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The pairs whose access token is good at the end; every other one is void. */
  readonly good: readonly Name[];
  /** Whether the session has been ended because a token was used again. */
  readonly isDetected?: true;
}

const CASES: readonly Case[] = [
  { name: 'its first use', steps: [['T', 'A']], good: ['A'] },
  { name: 'its first use long after it was issued', steps: [{ later: 86_400 }, ['T', 'A']], good: ['A'] },
  {
    name: 'within the grace, its successor unused',
    steps: [['T', 'A'], { later: GRACE_SECONDS - 5 }, ['T', 'B']],
    good: ['A', 'B'],
  },
  {
    name: 'many times within the grace, its successors unused',
    steps: [
      ['T', 'A'],
      ['T', 'B'],
      ['T', 'C'],
      ['T', 'D'],
    ],
    good: ['A', 'B', 'C', 'D'],
  },
  {
    name: 'within the grace, its successor used',
    steps: [
      ['T', 'A'],
      ['A', 'B'],
      ['T', 401],
    ],
    good: [],
    isDetected: true,
  },
  {
    name: 'within the grace, one of its successors used',
    steps: [
      ['T', 'A'],
      ['T', 'B'],
      ['A', 'C'],
      ['T', 401],
    ],
    good: [],
    isDetected: true,
  },
  {
    name: 'after the grace',
    steps: [['T', 'A'], { later: GRACE_SECONDS + 1 }, ['T', 401]],
    good: [],
    isDetected: true,
  },
  {
    name: 'after the grace of its first use, though within that of its second one',
    steps: [['T', 'A'], { later: GRACE_SECONDS - 5 }, ['T', 'B'], { later: 10 }, ['T', 401]],
    good: [],
    isDetected: true,
  },
  {
    name: 'two tabs that refresh at once and go on side by side',
    steps: [
      ['T', 'A'],
      ['T', 'B'],
      { later: NEXT_REFRESH_SECONDS },
      ['A', 'C'],
      ['B', 'D'],
      { later: NEXT_REFRESH_SECONDS },
      ['D', 'E'],
      { later: NEXT_REFRESH_SECONDS },
      ['C', 'F'],
    ],
    good: ['E', 'F'],
  },
  {
    name: 'two tabs, of which one has its answer lost',
    steps: [['T', 'A'], ['T', 'B'], { later: NEXT_REFRESH_SECONDS }, ['A', 'C'], ['A', 'D'], ['B', 'E']],
    good: ['C', 'D', 'E'],
  },
  {
    name: 'the token from before two tabs parted',
    steps: [['T', 'A'], ['T', 'B'], { later: NEXT_REFRESH_SECONDS }, ['A', 'C'], ['B', 'D'], ['T', 401]],
    good: [],
    isDetected: true,
  },
  {
    name: 'an old token of one of two tabs',
    steps: [['T', 'A'], ['T', 'B'], { later: NEXT_REFRESH_SECONDS }, ['A', 'C'], { later: 61 }, ['A', 401], ['B', 401]],
    good: [],
    isDetected: true,
  },
  {
    name: 'an old token after many others',
    steps: [
      ['T', 'A'],
      ['A', 'B'],
      ['B', 'C'],
      ['C', 'D'],
      ['A', 401],
      ['D', 401],
    ],
    good: [],
    isDetected: true,
  },
  { name: 'within the grace, after signing out', steps: [['T', 'A'], 'logout', ['T', 401], ['A', 401]], good: [] },
  { name: 'within the grace, after a new password', steps: [['T', 'A'], 'password reset', ['T', 401]], good: [] },
  {
    name: 'within the grace, while the organization is not active',
    steps: [['T', 'A'], 'organization off', ['T', 403], ['A', 403], 'organization on', ['T', 'B']],
    good: ['A', 'B'],
  },
  {
    name: 'after the grace, while the organization is not active',
    steps: [['T', 'A'], 'organization off', { later: 61 }, ['T', 401], 'organization on', ['A', 401]],
    good: [],
    isDetected: true,
  },
];

const refreshAt = (api: ApiClient, { refreshToken }: Tokens) => ask(api, 'refresh', { refreshToken });
const read = async (api: ApiClient, { accessToken }: Tokens) => (await api.get('/auth/me', bearer(accessToken))).status;

/** Moves all that the session of a user remembers into the past. */
function passTime(organizationId: number, userId: number, seconds: number): Promise<unknown> {
  return withSql(fixture.gateway.databaseUrl, async (sql) => {
    const past = sql`make_interval(secs => ${seconds})`;
    await sql`UPDATE session_pairs p SET used_at = p.used_at - ${past}, issued_at = p.issued_at - ${past}
      FROM sessions s WHERE s.organization_id = ${organizationId} AND s.user_id = ${userId}
        AND p.organization_id = s.organization_id AND p.session_id = s.id`;
    await sql`UPDATE sessions SET refreshed_at = refreshed_at - ${past}
      WHERE organization_id = ${organizationId} AND user_id = ${userId}`;
  });
}

async function resetPassword({ userId }: SeededUser, organizationId: number): Promise<void> {
  const token = `${userId}`.padStart(40, 'x');
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`INSERT INTO user_tokens (organization_id, user_id, purpose, token_hash, expires_at)
      VALUES (${organizationId}, ${userId}, 'reset_password', decode(${hashSecret(token)}, 'hex'), now() + interval '1 hour')`;
  });
  const done = await ask(fixture.api, 'password-reset/complete', { token, password: `${PASSWORD} again` });
  assert.equal(done.status, 200, done.text);
}

async function setStatus(organizationId: number, status: string): Promise<void> {
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`UPDATE organizations SET status = ${status} WHERE organization_id = ${organizationId}`;
  });
}

async function begin(): Promise<{ organizationId: number; user: SeededUser; tokens: Tokens }> {
  const { organizationId } = await fixture.organization();
  const user = await seedUser(fixture.gateway.databaseUrl, organizationId, 'dispatcher', PASSWORD);
  return { organizationId, user, tokens: await signIn(fixture.api, user) };
}

for (const { name, steps, good, isDetected = false } of CASES) {
  test(`a refresh token ${isDetected ? 'ends its session' : 'is judged'}: ${name}`, async () => {
    const { organizationId, user, tokens } = await begin();
    const pairs = new Map<Name, Tokens>([['T', tokens]]);
    let turn = 0;
    const take = async (step: Step) => {
      if (step === 'logout') return fixture.api.post('/auth/logout', {}, bearer(pairs.get('A')!.accessToken));
      if (step === 'password reset') return resetPassword(user, organizationId);
      if (step === 'organization off') return setStatus(organizationId, 'inactive');
      if (step === 'organization on') return setStatus(organizationId, 'active');
      if ('later' in step) return passTime(organizationId, user.userId, step.later);
      const [use, to] = step;
      const reply = await refreshAt(gateways[turn++ % 2]!, pairs.get(use)!);
      const isPair = typeof to === 'string';
      assert.equal(reply.status, isPair ? 200 : to, `${use}: ${reply.text}`);
      if (isPair) pairs.set(to, reply.body.data);
      return undefined;
    };
    for (const step of steps) await take(step);
    for (const [each, pair] of pairs) {
      for (const api of gateways) {
        const wanted = good.includes(each) ? 200 : 401;
        if (wanted === 200) await until(`${each} is good`, async () => (await read(api, pair)) !== 403);
        else await until(`${each} is void`, async () => (await read(api, pair)) === 401);
        assert.equal(await read(api, pair), wanted, each);
      }
    }
    const actions = (await auditOf(fixture, user.userId)).map(({ action }) => action);
    assert.equal(actions.includes('session.reuse_detected'), isDetected);
  });
}

const statuses = (replies: readonly ApiReply<unknown>[]) => [...new Set(replies.map(({ status }) => status))].sort();
const pairsOf = (replies: readonly ApiReply<Tokens>[]) => replies.map(({ body }) => body.data);
/** Each pair at one of the gateways in turn, all at the same time. */
const refreshAll = (pairs: readonly Tokens[]) =>
  Promise.all(pairs.map((pair, index) => refreshAt(gateways[index % 2]!, pair)));

test('tabs that refresh with one token at the same time all go on, and again a quarter of an hour later', async () => {
  const { organizationId, user, tokens } = await begin();
  let replies = await refreshAll(Array.from({ length: 8 }, () => tokens));
  assert.deepEqual(statuses(replies), [200]);
  for (let round = 0; round < 3; round++) {
    await passTime(organizationId, user.userId, NEXT_REFRESH_SECONDS);
    replies = await refreshAll(pairsOf(replies));
    assert.deepEqual(statuses(replies), [200]);
    const reads = await Promise.all(pairsOf(replies).map((pair, index) => read(gateways[index % 2]!, pair)));
    assert.deepEqual(new Set(reads), new Set([200]));
  }
  assert.equal((await refreshAt(fixture.api, tokens)).status, 401, 'the token of the beginning');
  assert.deepEqual(statuses(await refreshAll(pairsOf(replies))), [401]);
});

test('a token that comes again while its successor is being used gets a pair before it, or ends the session after it', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < rounds(12); round++) {
    const { user, tokens } = await begin();
    const successor = (await refreshAt(fixture.api, tokens)).body.data;
    const replies = await refreshAll(round % 2 === 0 ? [tokens, successor] : [successor, tokens]);
    const [again, next] = round % 2 === 0 ? [replies[0]!, replies[1]!] : [replies[1]!, replies[0]!];
    const actions = (await auditOf(fixture, user.userId)).map(({ action }) => action);
    const isDetected = actions.includes('session.reuse_detected');
    outcomes.add(`${again.status} ${next.status} ${isDetected}`);
    if (isDetected) await until('all is void', async () => (await read(fixture.api, next.body.data)) === 401);
    else assert.deepEqual(await Promise.all(pairsOf([again, next]).map((pair) => read(fixture.api, pair))), [200, 200]);
  }
  const expected = new Set(['200 200 false', '401 200 true']);
  assert.ok(
    [...outcomes].every((outcome) => expected.has(outcome)),
    [...outcomes].join('; '),
  );
});

test('a session has a bounded number of pairs; the oldest makes room, and ends the session when it comes after all', async () => {
  const { organizationId, user, tokens } = await begin();
  const most = LIMITS.pairsPerSession;
  const pairs: Tokens[] = [];
  for (let i = 0; i < most + 2; i++) pairs.push((await refreshAt(gateways[i % 2]!, tokens)).body.data);
  const count = () =>
    withSql(fixture.gateway.databaseUrl, async (sql) => {
      const [row] = await sql<{ good: number; all: number }[]>`
        SELECT 1 + count(*) FILTER (WHERE p.used_at IS NULL) AS good, 1 + count(*) AS all
        FROM session_pairs p JOIN sessions s ON s.organization_id = p.organization_id AND s.id = p.session_id
        WHERE s.organization_id = ${organizationId} AND s.user_id = ${user.userId}`;
      return { ...row! };
    });
  assert.deepEqual(await count(), { good: most, all: most + 1 });
  const [first, , third] = pairs;
  await until('the oldest is void', async () => (await read(fixture.api, first!)) === 401);
  assert.equal(await read(fixture.api, third!), 200);
  const flood = await refreshAll(Array.from({ length: 2 * most }, () => tokens));
  assert.deepEqual(statuses(flood), [200]);
  assert.deepEqual(await count(), { good: most, all: most + 1 }, 'also of many at the same time');
  assert.equal((await refreshAt(fixture.api, first!)).status, 401);
  const actions = (await auditOf(fixture, user.userId)).map(({ action }) => action);
  assert.equal(actions.at(-1), 'session.reuse_detected');
});

test('a sibling that has expired is refused, and its session goes on', async () => {
  const { organizationId, tokens } = await begin();
  const [first, other] = pairsOf([await refreshAt(fixture.api, tokens), await refreshAt(fixture.api, tokens)]);
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`UPDATE session_pairs SET refresh_expires_at = now() WHERE organization_id = ${organizationId}`;
  });
  assert.equal((await refreshAt(fixture.api, first!)).status, 401);
  assert.equal((await refreshAt(fixture.api, other!)).status, 200);
});

test('the grace is measured by the clock of Postgres, not by that of a gateway', async () => {
  const { tokens } = await begin();
  assert.equal((await refreshAt(fixture.api, tokens)).status, 200);
  const now = Date.now.bind(Date);
  const clock = mock.method(Date, 'now', () => now() + 10 * LIMITS.refreshGraceMs);
  try {
    assert.equal((await refreshAt(fixture.api, tokens)).status, 200);
  } finally {
    clock.mock.restore();
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../engine/runtime/clock.ts';
import type { OperatorStores } from '../../../gateway/admin-cli/operator-stores.ts';
import { STORE_VERBS } from '../../../gateway/admin-cli/store-verbs.ts';
import { changeChannel } from '../../../gateway/administration/administer-channels.ts';
import { changeUser } from '../../../gateway/administration/administer-users.ts';
import type { Administration } from '../../../gateway/administration/open-administration.ts';
import type { ById, ParsedRequest } from '../../../gateway/route.ts';
import { seedOrganization, seedSession, seedUser } from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';

/**
 * docs/contract.md §2 Revocation, for one that repeats another whose answer is still waited for, or was lost: it finds
 * nothing to change, and waits as the first one does.
 */

let organizationId: number;
let channelId: number;
let user: Awaited<ReturnType<typeof seedUser>>;
let waits = 0;

const { url, sql } = useDatabase({}, async () => {
  ({ organizationId, channelId } = await seedOrganization(url));
  user = await seedUser(url, organizationId, 'dispatcher');
});

const settled = async () => {
  waits += 1;
};

/** Whether the answer of `work`, which must be one, waited. */
async function waitsFor(work: () => Promise<unknown>): Promise<boolean> {
  const before = waits;
  const answer = await work();
  assert.ok(!Object.hasOwn(answer as object, 'refusal'), JSON.stringify(answer));
  return waits > before;
}

function changing<Body>(
  change: (administration: Administration, request: ParsedRequest<ById, unknown, Body>) => Promise<unknown>,
  id: number,
) {
  const turns = { run: <T>(_: number, work: () => Promise<T>) => work() };
  const administration = { sql, turns, clock: systemClock, settled } as unknown as Administration;
  const caller = { type: 'system', id: null, role: 'org_admin' };
  return (body: Body) => {
    const request = { identity: { organizationId, caller }, params: { id }, body };
    return waitsFor(() => change(administration, request as unknown as ParsedRequest<ById, unknown, Body>));
  };
}

test('a change of a user that names its role or activity waits, also when another one has made it', async () => {
  const change = changing(changeUser, user.userId);
  for (const body of [{ isActive: false }, { role: 'integration' }] as const) {
    assert.ok(await change(body));
    assert.ok(await change(body), 'again');
    assert.ok(await change({ ...body, name: `Ada ${Object.keys(body)}` }), 'with another change');
  }
  assert.equal(await change({ name: 'Grace Hopper' }), false);
});

test('a change of a channel that names what its key may do waits, also when another one has made it', async () => {
  const change = changing(changeChannel, channelId);
  for (const body of [{ status: 'SUSPENDED' }, { rateLimit: 5 }, { locationsWrite: false }] as const) {
    assert.ok(await change(body));
    assert.ok(await change(body), 'again');
  }
  assert.equal(await change({ name: 'Till' }), false);
});

test('the commands that lock a user out wait, also when an earlier run has done it', async () => {
  await seedSession(url, organizationId, user.userId);
  const run = (name: string) => {
    const verb = STORE_VERBS.find((each) => each.noun === 'users' && each.verb === name);
    return waitsFor(() => verb!.run({ sql, settled } as unknown as OperatorStores, { email: user.email }));
  };
  for (const name of ['verify', 'end-sessions', 'lock', 'unlock']) {
    await run(name);
    assert.ok(await run(name), name);
  }
});

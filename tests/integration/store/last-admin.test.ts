import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readUser, updateUser } from '../../../engine/store/accounts/user-store.ts';
import { seedOrganization, seedUser } from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';

const database = useDatabase();
const beside = database.connect();

test('of administrators who take each other’s rights at two gateways at the same time one stays', async () => {
  const { organizationId } = await seedOrganization(database.url);
  const demoted = async () => {
    const { userId } = await seedUser(database.url, organizationId, 'org_admin');
    const { user } = (await readUser(database.sql, organizationId, userId))!;
    return { ...user, version: user.version + 1, role: 'dispatcher' } as const;
  };
  const [first, second] = [await demoted(), await demoted()];
  const needs = { needsOtherAdmin: true };
  const changed = await database.sql.begin(async (sql) => {
    const rows = await sql`${updateUser(database.sql, first, needs)}`;
    // It still sees the first one as an administrator, and waits for the end of this change.
    const other = beside`${updateUser(beside, second, needs)}`.execute();
    await delay(200);
    return { rows, other };
  });
  assert.deepEqual([changed.rows.length, (await changed.other).length], [1, 0]);
  assert.equal((await readUser(database.sql, organizationId, second.id))?.user.role, 'org_admin');
});

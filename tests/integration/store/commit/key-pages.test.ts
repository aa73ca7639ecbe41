import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noNeeds } from '../../../../engine/org/decide/needed-records.ts';
import { createOrgStore, forActors } from '../../../../engine/store/actor/actor-store.ts';
import { scopedKeyOf } from '../../../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { seedOrganization } from '../../../support/seeds/seed.ts';
import { useDatabase } from '../../../support/system/use-database.ts';

const { url, connect } = useDatabase();
const sql = connect({}, forActors(url));

async function readAll(organizationId: number): Promise<{ keys: string[]; pages: number[] }> {
  const store = createOrgStore(sql);
  const keys: string[] = [];
  const pages: number[] = [];
  for (let behind = ''; pages.length < 10; ) {
    const fetched = await store.fetchRecords(organizationId, { ...noNeeds(), keysBehind: behind });
    const page = fetched.keys;
    assert.ok(page !== 'not-wanted');
    keys.push(...page);
    pages.push(page.length);
    if (page.length < LIMITS.bookPage) break;
    behind = page.at(-1)!;
  }
  return { keys, pages };
}

async function writeKeys(organizationId: number, scope: string, prefix: string, count: number, age: string) {
  await sql`
    INSERT INTO idempotency_records (organization_id, scope, key, at, fingerprint, status, body)
    SELECT ${organizationId}, ${scope}, ${prefix} || i, now() - ${age}::interval, 'x', 201, '{}'
    FROM generate_series(1, ${count}::int) i`;
}

function named(scope: string, prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => scopedKeyOf(scope, `${prefix}${index + 1}`));
}

test('the keys that are honoured are read page by page, each once, whichever day and scope they are of', async () => {
  const { organizationId } = await seedOrganization(url);
  const { organizationId: other } = await seedOrganization(url);
  await sql`SELECT ensure_daily_partitions('idempotency_records', 3, 1)`;
  await writeKeys(organizationId, 'channel 1 POST /tasks', 'a', LIMITS.bookPage - 10, '1 minute');
  // Keys of the day before, at most times of day; in the order of keys they stand among those of today.
  await writeKeys(organizationId, 'channel 1 POST /tasks', 'a-', 50, '23 hours');
  await writeKeys(organizationId, 'channel 10 POST /tasks', 'a', 70, '1 minute');
  await writeKeys(organizationId, 'channel 1 POST /tasks', 'too old ', 5, '25 hours');
  await writeKeys(other, 'channel 1 POST /tasks', 'b', 5, '1 minute');
  const { keys, pages } = await readAll(organizationId);
  assert.deepEqual(pages, [LIMITS.bookPage, 110]);
  assert.deepEqual(
    keys.toSorted(),
    [
      ...named('channel 1 POST /tasks', 'a', LIMITS.bookPage - 10),
      ...named('channel 1 POST /tasks', 'a-', 50),
      ...named('channel 10 POST /tasks', 'a', 70),
    ].toSorted(),
  );
});

test('an organization without keys has one page of none', async () => {
  const { organizationId } = await seedOrganization(url);
  assert.deepEqual(await readAll(organizationId), { keys: [], pages: [0] });
});

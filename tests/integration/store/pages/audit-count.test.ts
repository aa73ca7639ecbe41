import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '../../../../engine/store/postgres.ts';
import { listAudit } from '../../../../engine/store/records/audit-store.ts';
import { seedOrganization } from '../../../support/seeds/seed.ts';
import { useDatabase } from '../../../support/system/use-database.ts';

const { sql, url } = useDatabase();

test('the last page of the audit log has its count without another look at the whole log', async () => {
  const { organizationId } = await seedOrganization(url);
  await sql`
    INSERT INTO audit_access (organization_id, id, at, action, record_type, record_id, actor_type)
    SELECT ${organizationId}, n, now(), 'session.created', 'session', n, 'system' FROM generate_series(1, 5) n`;
  const looks = (query: { readonly page: number; readonly limit: number; readonly userId?: number }) =>
    sql.begin(async (transaction) => {
      const scans = async () => {
        const [row] = await transaction<{ scans: number }[]>`
          SELECT seq_scan + idx_scan AS scans FROM pg_stat_xact_user_tables WHERE relname = 'audit_access'`;
        return row!.scans;
      };
      const before = await scans();
      const { count, items } = await listAudit(transaction as unknown as Sql, organizationId, query);
      return { count, shown: items.length, scans: (await scans()) - before };
    });
  assert.deepEqual(await looks({ page: 1, limit: 10, userId: 7 }), { count: 0, shown: 0, scans: 1 });
  const [full, last, beyond] = [
    await looks({ page: 1, limit: 3 }),
    await looks({ page: 2, limit: 3 }),
    await looks({ page: 3, limit: 3 }),
  ];
  assert.deepEqual([full.count, last.count, beyond.count], [5, 5, 5]);
  assert.deepEqual([full.shown, last.shown, beyond.shown], [3, 2, 0]);
  assert.deepEqual(await looks({ page: 3, limit: 3, userId: 7 }), { count: 0, shown: 0, scans: 2 });
});

test('a range has the entries whose shown time is its end, and none of the millisecond after it', async () => {
  const { organizationId } = await seedOrganization(url);
  await sql`
    INSERT INTO audit_access (organization_id, id, at, action, record_type, record_id, actor_type)
    SELECT ${organizationId}, id, ('2026-11-29T10:00:00.' || fraction || 'Z')::timestamptz, 'session.login', 'session', id, 'system'
    FROM (VALUES (1, '122999'), (2, '123'), (3, '123999'), (4, '124')) v(id, fraction)`;
  const found = async (from: number, to: number) => {
    const at = (milliseconds: number) => `2026-11-29T10:00:00.${milliseconds}Z`;
    const { items, count } = await listAudit(sql, organizationId, { page: 1, limit: 10, from: at(from), to: at(to) });
    assert.equal(items.length, count);
    return items.map(({ record, at: shown }) => `${record.id} ${shown.slice(-4)}`);
  };
  assert.deepEqual(await found(123, 123), ['3 123Z', '2 123Z']);
  assert.deepEqual(await found(100, 122), ['1 122Z']);
  assert.deepEqual(await found(124, 200), ['4 124Z']);
});

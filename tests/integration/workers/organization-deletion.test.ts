import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeletionStore } from '../../../engine/store/cluster/deletion-store.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { useDatabase } from '../../support/system/use-database.ts';

const { sql, url } = useDatabase();
const PROOFS = 120;
const OTHERS = 300;

test('a batch deletes few proofs, which may be large, and many other rows', async () => {
  const { organizationId } = await seedOrganization(url);
  await sql`
    INSERT INTO task_proofs (organization_id, task_id, id, kind, actor_type, created_at)
    SELECT ${organizationId}, n, n, 'pin', 'channel', now() FROM generate_series(1, ${PROOFS}::int) n`;
  await sql`
    INSERT INTO task_pins (organization_id, task_id, wrong_count)
    SELECT ${organizationId}, n, 1 FROM generate_series(1, ${OTHERS}::int) n`;
  await sql`INSERT INTO deleted_organizations (organization_id, name_hash) VALUES (${organizationId}, '')`;
  const store = createDeletionStore(sql);
  const proofs = async () => (await sql`SELECT FROM task_proofs`).length;
  assert.ok((await store.deleteBatch(organizationId)) >= OTHERS);
  assert.equal((await sql`SELECT FROM task_pins`).length, 0);
  assert.equal(await proofs(), PROOFS - 50);
  while ((await store.deleteBatch(organizationId)) > 0);
  assert.equal(await proofs(), 0);
});

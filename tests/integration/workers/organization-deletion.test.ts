import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { createDeletionStore } from '../../../engine/store/cluster/deletion-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ProviderStep } from '../../../schema/money/payment.ts';
import { createOrganizationDeletionProcessor } from '../../../workers/maintenance/organization-deletion.ts';
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

test('the steps at payment providers that go with an organization are logged before its rows are gone', async () => {
  const { organizationId } = await seedOrganization(url);
  const other = await seedOrganization(url);
  const page = LIMITS.paymentsPerPage;
  const payments = async (organization: number, firstId: number, step: ProviderStep | null, count = 1) => {
    await sql`
      INSERT INTO payments (organization_id, id, version, task_id, channel_id, method, status, amount_minor, currency,
        provider, provider_reference, checkout_token, step, created_at, updated_at)
      SELECT ${organization}, n, 1, 3, 1, 'online', 'pending', 1250, 'EUR', 'stripe', 'cs_' || n, 't', ${step}, now(), now()
      FROM generate_series(${firstId}::int, ${firstId + count - 1}::int) n`;
  };
  await payments(organizationId, 1, null);
  await payments(organizationId, 2, 'refund');
  await payments(organizationId, 3, 'await_payment', page + 1);
  await payments(other.organizationId, 1, 'refund');
  await sql`INSERT INTO deleted_organizations (organization_id, name_hash) VALUES (${organizationId}, '')`;

  type Line = { organizationId: number; step: ProviderStep; payments: { paymentId: number }[] };
  const warned: Line[] = [];
  const log = Object.assign(createLog('test', 'silent'), { warn: (line: Line) => void warned.push(line) });
  const store = createDeletionStore(sql);
  const process = createOrganizationDeletionProcessor({ store, removals: [], log });
  for (let i = 0; i < 2; i += 1) await process({}, new AbortController().signal, { forget: async () => {} });
  const owed = { paymentId: 2, provider: 'stripe', providerReference: 'cs_2', amountMinor: 1250, currency: 'EUR' };
  assert.deepEqual(
    warned.find(({ step }) => step === 'refund'),
    { organizationId, step: 'refund', payments: [owed] },
  );
  const awaited = warned.filter(({ step }) => step === 'await_payment').flatMap((line) => line.payments);
  assert.deepEqual(
    awaited.map(({ paymentId }) => paymentId),
    Array.from({ length: page + 1 }, (_, index) => index + 3),
  );
  assert.equal(warned.length, 3, 'each once');
  assert.deepEqual([...(await sql`SELECT organization_id FROM payments`)], [{ organizationId: other.organizationId }]);
});

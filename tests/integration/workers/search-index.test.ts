import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMaintenanceStore } from '../../../engine/store/cluster/maintenance-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { createSearchIndexProcessor } from '../../../workers/maintenance/upkeep-processors.ts';
import { until } from '../../support/until.ts';
import { createWorkersPlace, startWorkersProcess } from './workers-place.ts';

test('new customers are worked into the search index, with any other process at the same time', async () => {
  const place = await createWorkersPlace(1);
  try {
    await insertCustomers(place.sql, place.organizationIds[0]!, 1);
    assert.ok((await pendingCustomers(place.sql)) > 0, 'a commit only appends');
    const merge = createSearchIndexProcessor(createMaintenanceStore(place.sql));
    await Promise.all([merge(), merge(), insertCustomers(place.sql, place.organizationIds[0]!, 1_000)]);
    await merge();
    assert.equal(await pendingCustomers(place.sql), 0);
  } finally {
    await place.drop();
  }
});

test('the workers do so by themselves every few seconds', async () => {
  const place = await createWorkersPlace(1);
  const workers = await startWorkersProcess(place.environment);
  try {
    await insertCustomers(place.sql, place.organizationIds[0]!, 1);
    await until('they are worked in', async () => (await pendingCustomers(place.sql)) === 0);
  } finally {
    await workers.stop();
    await place.drop();
  }
});

async function insertCustomers(sql: Sql, organizationId: number, firstId: number): Promise<void> {
  await sql`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, phone_e164,
      created_at, updated_at)
    SELECT ${organizationId}, n, 1, n, 'individual', 'Ada', 'Lovelace', '+44' || n, now(), now()
    FROM generate_series(${firstId}::int, ${firstId}::int + 99) AS n`;
}

/** Customers that stand in the list beside the index. */
async function pendingCustomers(sql: Sql): Promise<number> {
  await sql`CREATE EXTENSION IF NOT EXISTS pgstattuple`;
  const [row] = await sql<{ pending: number }[]>`
    SELECT pending_tuples AS pending FROM pgstatginindex('customers_trigrams')`;
  return row!.pending;
}

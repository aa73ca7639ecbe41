import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMaintenanceStore } from '../../../engine/store/cluster/maintenance-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { createSearchIndexProcessor } from '../../../workers/maintenance/upkeep-processors.ts';
import { until } from '../../support/until.ts';
import { createWorkersPlace, startWorkersHere } from './workers-place.ts';

/** As often as tasks are made while a job lists, in a test that must end. */
const MANY_LISTINGS = 20;

test('new customers are worked into the search index, with any other process at the same time', async () => {
  const place = await createWorkersPlace(1);
  try {
    await insertCustomers(place.sql, place.organizationIds[0]!, 1);
    assert.ok((await pendingCustomers(place.sql)) > 0, 'a commit only appends');
    const merge = mergeOf(place.sql);
    await Promise.all([merge(), merge(), insertCustomers(place.sql, place.organizationIds[0]!, 1_000)]);
    await merge();
    assert.equal(await pendingCustomers(place.sql), 0);
  } finally {
    await place.drop();
  }
});

test('the workers do so by themselves every few seconds', async () => {
  const place = await createWorkersPlace(1);
  const workers = await startWorkersHere(place);
  try {
    await insertCustomers(place.sql, place.organizationIds[0]!, 1);
    await until('they are worked in', async () => (await pendingCustomers(place.sql)) === 0);
  } finally {
    await workers.stop();
    await place.drop();
  }
});

test('a job leaves the tasks that are made while it lists, and works customers in all the same', async () => {
  const place = await createWorkersPlace(1);
  const { sql } = place;
  try {
    await sql.unsafe(`
      CREATE SEQUENCE listings;
      CREATE FUNCTION make_task() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('listings') < ${MANY_LISTINGS} THEN
          INSERT INTO findable_fresh (organization_id, task_id, version, again, created_at, text)
            VALUES (1, currval('listings') + 1, 1, false, now(), 'made meanwhile');
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER make_task AFTER DELETE ON findable_fresh FOR EACH STATEMENT EXECUTE FUNCTION make_task()`);
    await insertTask(sql, 1);
    await insertCustomers(sql, place.organizationIds[0]!, 1);
    await mergeOf(sql)();
    const [row] = await sql<{ listings: number }[]>`SELECT last_value AS listings FROM listings`;
    assert.equal(row!.listings, 1);
    assert.equal(await pendingCustomers(sql), 0);
  } finally {
    await place.drop();
  }
});

test('a job that is asked to end lists no more tasks', async () => {
  const place = await createWorkersPlace(1);
  const { sql } = place;
  const fresh = async () => (await sql`SELECT FROM findable_fresh`).length;
  try {
    await insertTask(sql, 1);
    await mergeOf(sql)(AbortSignal.abort());
    assert.equal(await fresh(), 1);
    await mergeOf(sql)();
    assert.equal(await fresh(), 0);
  } finally {
    await place.drop();
  }
});

function mergeOf(sql: Sql): (signal?: AbortSignal) => Promise<void> {
  const merge = createSearchIndexProcessor(createMaintenanceStore(sql));
  return (signal = new AbortController().signal) => merge({}, signal);
}

async function insertTask(sql: Sql, id: number): Promise<void> {
  await sql`
    INSERT INTO findable_fresh (organization_id, task_id, version, again, created_at, text)
    VALUES (1, ${id}, 1, false, now(), 'a task')`;
}

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

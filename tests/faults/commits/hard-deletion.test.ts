import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../../../engine/org/start-engine.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createPositionStore } from '../../../engine/store/positions/position-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import { connectRedis } from '../../../engine/store/redis.ts';
import { redisKeys } from '../../../engine/store/redis-keys.ts';
import type { Answer } from '../../../schema/commands.ts';
import { ERRORS } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { startWorkersProcess } from '../../integration/workers/workers-place.ts';
import { createMigratedDatabase, testRedis } from '../../support/stores.ts';
import { findInRedis } from '../../support/system/find-in-redis.ts';
import { until } from '../../support/until.ts';
import { createCommand, openTestEngine, statusOf } from '../support/engine-fixture.ts';
import { fillMarked, type MarkedOrganization, seedMarked } from '../support/marked-organization.ts';
import { countRows, digestRows, findInRows } from '../support/stored-everywhere.ts';

const MARKER = 'qZ7doomedMarker';
const OTHER_MARKER = 'qZ7otherMarker';
/** Enough rows for several batches of the job. */
const TASKS = 450;
/** An id that a text contains only when it means this organization. */
const FIRST_ID = 734_500_911;

const releaser = createReleaser(() => {});
let sql: Sql;
let engine: Engine;
let doomed: MarkedOrganization;
let other: MarkedOrganization;
let redis: ReturnType<typeof connectRedis>;
let environment: Record<string, string>;
let outbox: string;

before(async () => {
  const database = await createMigratedDatabase();
  releaser.push('database', () => database.drop());
  const { url, prefix } = testRedis();
  const dataDir = mkdtempSync(join(tmpdir(), 'dispatch-deletion-'));
  releaser.push('data', () => rmSync(dataDir, { recursive: true, force: true }));
  outbox = join(dataDir, 'outbox');
  environment = { DATABASE_URL: database.url, REDIS_URL: url, REDIS_PREFIX: prefix, DATA_DIR: dataDir };
  redis = connectRedis(url, createLog('test', 'silent'), 'patient');
  releaser.push('redis', () => redis.disconnect());
  sql = connectPostgres(database.url, { name: 'test', connections: 2, statementTimeoutMs: 60_000 });
  releaser.push('sql', () => sql.end({ timeout: 5 }));
  await sql`SELECT setval('organization_ids', ${FIRST_ID})`;
  doomed = await seedMarked(database.url, MARKER);
  other = await seedMarked(database.url, OTHER_MARKER);
  engine = await openTestEngine(database.url, { releaser });
  await fillMarked(engine, doomed, MARKER, TASKS);
  await fillMarked(engine, other, OTHER_MARKER, 10);
});
after(() => releaser.stop());

const total = (rows: Readonly<Record<string, number>>) => Object.values(rows).reduce((sum, count) => sum + count, 0);

async function untilCounted(): Promise<void> {
  await until('counting what was done', async () => {
    const rows = await sql`
      SELECT 1 FROM organization_heads h CROSS JOIN (VALUES ('activity'), ('notices')) AS f (consumer)
        LEFT JOIN relay_positions p ON p.organization_id = h.organization_id AND p.consumer = f.consumer
      WHERE h.last_sequence > coalesce(p.last_sequence, 0)`;
    return rows.length === 0;
  });
}

/** Holds a row that the job reaches late, so that it waits there. The returned function releases the row. */
async function holdRow(organizationId: number): Promise<() => Promise<void>> {
  let release = () => {};
  const wanted = new Promise<void>((resolve) => {
    release = resolve;
  });
  let hold = () => {};
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  const holder = sql.begin(async (tx) => {
    await tx`SELECT 1 FROM warehouses WHERE organization_id = ${organizationId} FOR UPDATE`;
    hold();
    await wanted;
  });
  await Promise.race([held, holder]);
  return async () => {
    release();
    await holder;
  };
}

/** Mails that became files, and one that a crash left half written, under the names that the mailer gives. */
function fillOutbox(): void {
  mkdirSync(outbox);
  const nameOf = ({ organizationId }: MarkedOrganization) =>
    `20261121T120000000Z-${organizationId}-verify_email-ABCDEF.eml`;
  for (const name of [nameOf(doomed), `.${nameOf(doomed)}`, nameOf(other)]) writeFileSync(join(outbox, name), MARKER);
}

const send = (key: string) => engine.ask(doomed.organizationId, createCommand(`${MARKER} ${key}`, doomed.staff));

/** Deletes the organization while commands are in flight. */
async function deleteUnderLoad({ organizationId, superAdmin, name }: MarkedOrganization): Promise<void> {
  const sendMany = (what: string) => Array.from({ length: 30 }, (_, index) => send(`${what} ${index}`));
  const early = sendMany('early');
  const deletion = engine.ask(organizationId, { kind: 'delete-organization', caller: superAdmin, confirm: name });
  const late = sendMany('late');
  assert.equal(statusOf(await deletion), 200);
  const answers: Answer[] = await Promise.all([...early, ...late]);
  assert.deepEqual(new Set(answers.map(statusOf)), new Set([201, ERRORS.ORGANIZATION_DELETED.status]));
}

/** Starts the workers and kills them when half of the rows are gone. Returns the row counts before and after. */
async function killHalfWay(organizationId: number): Promise<readonly [before: number, left: number]> {
  const rowsLeft = async () => total(await countRows(sql, organizationId));
  const release = await holdRow(organizationId);
  const before = await rowsLeft();
  const workers = await startWorkersProcess(environment);
  await until('half of the rows', async () => (await rowsLeft()) < before / 2);
  await workers.kill();
  const left = await rowsLeft();
  await release();
  return [before, left];
}

/** Runs the workers until they finish, with short pauses between their looks. */
async function deleteToTheEnd(organizationId: number): Promise<void> {
  const workers = await startWorkersProcess(environment);
  const isNoted = async (column: 'cleared_at' | 'finished_at') => {
    const rows = await sql`SELECT 1 FROM deleted_organizations
      WHERE organization_id = ${organizationId} AND ${sql(column)} IS NOT NULL`;
    return rows.length > 0;
  };
  const settle = () => sql`UPDATE deleted_organizations
    SET cleared_at = cleared_at - ${LIMITS.deletionSettleMs} * interval '1 millisecond'
    WHERE organization_id = ${organizationId} AND finished_at IS NULL`;
  await until('a first look', () => isNoted('cleared_at'));
  assert.equal(await isNoted('finished_at'), false, 'one look is not enough');
  // A late request that had passed the guards before.
  await sql`INSERT INTO kept_outcomes (organization_id, scope, key_hash, fingerprint, status, sealed)
    VALUES (${organizationId}, ${MARKER}, 'a', ${MARKER}, 200, 'b')`;
  await settle();
  await until('a second look', async () => {
    const noted = await sql`SELECT 1 FROM deleted_organizations
      WHERE organization_id = ${organizationId} AND cleared_at > now() - ${LIMITS.deletionSettleMs} * interval '1 millisecond'`;
    return noted.length > 0;
  });
  assert.equal(total(await countRows(sql, organizationId)), 1, 'the straggler is gone');
  await delay(LIMITS.deletionCheckMs);
  assert.equal(await isNoted('finished_at'), false, 'a found row starts the wait again');
  await settle();
  await until('the end', () => isNoted('finished_at'));
  await workers.stop();
}

const UNSAID = { accuracy: 1, speed: 1, heading: 1, altitude: 1, battery: 1 };

test('a hard deletion, even killed half way, leaves no row of its organization anywhere and touches no row of another', async (t) => {
  const { organizationId, superAdmin, name } = doomed;
  const counting = await startWorkersProcess(environment);
  await untilCounted();
  await counting.stop();
  assert.equal(statusOf(await send('not listed for searches')), 201);
  const { deleted_organizations: _, ...tables } = await countRows(sql, organizationId);
  const empty = Object.keys(tables).filter((table) => tables[table] === 0);
  assert.deepEqual(empty, [], 'every table has something to lose: a new one is to be filled by marked-organization.ts');
  assert.ok((await findInRows(sql, [MARKER])).length > 15, 'the marker is found where it is');
  const position = { agentId: 1, recordedAtMs: 1, receivedAtMs: 1, heardAtMs: 0, latitude: 1, longitude: 1, ...UNSAID };
  const keys = redisKeys(environment['REDIS_PREFIX']!, engine.history);
  await createPositionStore(redis, keys).save(organizationId, [position]);
  const findKeys = () => findInRedis(redis, environment['REDIS_PREFIX']!, [MARKER, String(organizationId)]);
  assert.ok((await findKeys()).length > 0, 'Redis names the organization');
  const untouched = await digestRows(sql, other.organizationId);
  fillOutbox();

  await deleteUnderLoad(doomed);
  const [before, left] = await killHalfWay(organizationId);
  t.diagnostic(`${before} rows, ${left} when the job was killed`);
  assert.ok(left > 1, 'something is left to do');
  await deleteToTheEnd(organizationId);

  assert.deepEqual(
    Object.entries(await countRows(sql, organizationId)).filter(([, rows]) => rows > 0),
    [['deleted_organizations', 1]],
  );
  assert.deepEqual(await findInRows(sql, [MARKER, MARKER.toUpperCase(), MARKER.toLowerCase()]), []);
  const named = await findInRows(sql, [String(organizationId)]);
  assert.deepEqual(named, [`deleted_organizations: ${organizationId}`]);
  const [tombstone] = await sql<{ nameHash: Buffer; requestedBy: number }[]>`
    SELECT name_hash, requested_by FROM deleted_organizations WHERE organization_id = ${organizationId}`;
  assert.equal(tombstone!.nameHash.toString('hex'), hash('sha256', name, 'hex'));
  assert.equal(tombstone!.requestedBy, superAdmin.userId);
  const columns = await sql<{ name: string }[]>`
    SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'deleted_organizations' ORDER BY 1`;
  const kept = ['cleared_at', 'finished_at', 'name_hash', 'organization_id', 'requested_at', 'requested_by', 'xid'];
  assert.deepEqual(
    columns.map(({ name }) => name),
    kept,
    'nothing personal: an id, a digest, the super admin, times',
  );
  assert.deepEqual(await findKeys(), []);
  assert.deepEqual(
    readdirSync(outbox).map((name) => name.split('-')[1]),
    [String(other.organizationId)],
  );
  assert.deepEqual(await digestRows(sql, other.organizationId), untouched);

  assert.equal(statusOf(await send('afterwards')), ERRORS.ORGANIZATION_DELETED.status);
  const elsewhere = await engine.ask(other.organizationId, createCommand('afterwards', other.staff));
  assert.equal(statusOf(elsewhere), 201);
});

test('an organization without a tombstone cannot be emptied', async () => {
  const rows = await countRows(sql, other.organizationId);
  await assert.rejects(sql`SELECT delete_organization_batch(${other.organizationId}, 10)`, /has no tombstone/);
  assert.deepEqual(await countRows(sql, other.organizationId), rows);
});

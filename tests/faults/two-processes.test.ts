import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { shardOf } from '../../engine/runtime/shard-of.ts';
import { createApiClient } from '../support/api-client.ts';
import { findViolations } from '../support/checker.ts';
import { Journal, type Operation, type Outcome } from '../support/journal.ts';
import { withSql } from '../support/seeds/seed.ts';
import { type ProxiedConnection, startTcpProxy } from '../support/services/tcp-proxy.ts';
import { createTestPlace, startTestGateway, type TestGateway, type TestPlace } from '../support/system/gateway.ts';
import { until } from '../support/until.ts';
import { backendsOf, lockHead, untilBlocked } from './support/backends.ts';
import { assertKeptPromises, readFinalRows } from './support/final-rows.ts';
import { followStream } from './support/followed-stream.ts';
import { runLoad, type Send, sendOverHttp } from './support/journaled-load.ts';

/** Long enough that a machine that stands still for a moment loses no shard. */
const LEASE_MS = 6_000;
/**
 * Postgres cuts statements short after half of a lease, up to 5 s: long enough that a commit outlasts B's next renewal.
 */
const PATIENT_LEASE_MS = 12_000;
const MOST_TRIES = 5;
/** The pause before each request of the load. */
const PACE_MS = 20;

/** Two gateways at one place. A owns all shards, B can take them over. Requests to A go through a proxy. */
interface Pair {
  readonly place: TestPlace;
  readonly a: TestGateway;
  readonly b: TestGateway;
  readonly commitOfA: () => ProxiedConnection;
  readonly sendToA: Send;
  readonly sendToB: Send;
  readonly sendToEither: Send;
  stop(): Promise<void>;
}

async function startPair(place?: TestPlace, leaseMsOfA = LEASE_MS): Promise<Pair> {
  const own = place ?? (await createTestPlace());
  const proxy = await startTcpProxy(own.databaseUrl);
  const start = (id: string, databaseUrl: string, leaseMs: number) =>
    startTestGateway({
      place: own,
      process: true,
      environment: { GATEWAY_ID: id, DATABASE_URL: databaseUrl, LEASE_MS: String(leaseMs) },
    });
  const a = await start('a', proxy.url, leaseMsOfA);
  const b = await start('b', own.databaseUrl, LEASE_MS);
  const [clientA, clientB] = [createApiClient(a), createApiClient(b)];
  return {
    place: own,
    a,
    b,
    commitOfA: () => proxy.connections('dispatch commit')[0]!,
    sendToA: sendOverHttp(() => [clientA]),
    sendToB: sendOverHttp(() => [clientB]),
    sendToEither: sendOverHttp(() => [clientA, clientB]),
    async stop() {
      process.kill(a.pid!, 'SIGCONT');
      clientA.close();
      clientB.close();
      await Promise.all([a.stop(), b.stop()]);
      await proxy.stop();
      if (!place) await own.drop();
    },
  };
}

test('an owner stopped during a load and woken after its shards were taken changes nothing more, and its streams go on', async () => {
  const pair = await startPair();
  const { place, a, b } = pair;
  const { organizationId } = place;
  const journal = new Journal();
  const streams = await Promise.all([a, b].map(({ baseUrl }) => followStream(journal, baseUrl, place)));
  try {
    const [sendToA, sendToB] = [impatient(pair.sendToA), impatient(pair.sendToB)];
    const send: Send = async (operation, attempt) => {
      await delay(PACE_MS);
      return (attempt % 2 === 0 ? sendToA : sendToB)(operation, attempt);
    };
    let over = false;
    const common = { journal, send, organizationIds: [organizationId], connections: 16, tasks: 100_000 };
    const load = runLoad({ ...common, name: 'task', isOver: () => over });
    load.catch(() => {});
    await until('A has changed something', async () => (await lastSequenceOf(place)) > 50);
    const before = await epochOf(place);
    process.kill(a.pid!, 'SIGSTOP');
    await until('B takes the shard over', async () => (await epochOf(place)) > before);
    await noteTakeover(place, journal);
    await until('B has changed something', async () => (await epochsInLog(place)).length >= 2);
    process.kill(a.pid!, 'SIGCONT');
    await delay(1_500);
    over = true;
    await load;
    assert.ok(process.kill(a.pid!, 0) && process.kill(b.pid!, 0), 'both processes live');
    const last = await lastSequenceOf(place);
    await Promise.all(streams.map((stream) => stream.reaches(last)));
    await assertKeptPromises(journal, place.databaseUrl);
  } finally {
    for (const stream of streams) stream.stop();
    await pair.stop();
  }
});

test('a commit that an owner sent before it lost its shards is refused when it arrives after', async () => {
  const pair = await startPair();
  const { place, a, commitOfA, sendToA, sendToB } = pair;
  const journal = new Journal();
  const run = (key: string, send: Send) => attempt(journal, create(place, key), send);
  try {
    assert.equal((await run('first', sendToA)).kind, 'acknowledged');
    const before = await epochOf(place);
    const commit = commitOfA();
    commit.silence('up');
    const stale = run('stale', sendToA);
    await until('the commit is on its way', () => commit.heldUp > 0);
    process.kill(a.pid!, 'SIGSTOP');
    await endLeaseOfA(place);
    await until('B takes the shard over', async () => (await epochOf(place)) > before);
    await noteTakeover(place, journal);
    await persistently(() => run('of-b', sendToB));
    const heard = commit.sentDown;
    commit.resume();
    // Answer before A wakes, whose patience with its commit may be over by then.
    await until('Postgres has answered', () => commit.sentDown > heard);
    process.kill(a.pid!, 'SIGCONT');
    const outcome = await stale;
    assert.equal(outcome.kind, 'refused', JSON.stringify(outcome));
    const refusedByPostgres = /"failure":"fenced","why":"another process owns a shard of this group"/;
    assert.match(a.logLines.join('\n'), refusedByPostgres);
    await persistently(() => run('stale', sendToB));
    await assertKeptPromises(journal, place.databaseUrl);
  } finally {
    await pair.stop();
  }
});

test('a takeover waits for a commit that is past the fence, so that none lands after it', async () => {
  const { journal, place, pair, tookOverInside } = await takeOverAmidCommit();
  try {
    assert.equal(tookOverInside, false, 'B took the shard while a commit of A was past the fence');
    await assertKeptPromises(journal, place.databaseUrl);
  } finally {
    await pair.stop();
    await place.drop();
  }
});

test('without the lock of its fence a commit lands after the takeover, and the checker sees it', async () => {
  const { journal, place, pair, tookOverInside } = await takeOverAmidCommit(async ({ databaseUrl }) => {
    await withSql(databaseUrl, async (sql) => {
      const [row] = await sql<{ source: string }[]>`SELECT pg_get_functiondef('commit_group'::regproc) AS source`;
      const weakened = row!.source.replace(/\s+FOR SHARE OF s;/, ';');
      assert.notEqual(weakened, row!.source, 'the fence has its lock clause');
      await sql.unsafe(weakened);
    });
  });
  try {
    assert.equal(tookOverInside, true, 'the takeover did not wait');
    const violations = findViolations(journal, await withSql(place.databaseUrl, readFinalRows));
    assert.deepEqual([...new Set(violations.map(({ rule }) => rule))], ['second-writer']);
  } finally {
    await pair.stop();
    await place.drop();
  }
});

/**
 * The hard case: A's commit is past its fence and hangs on a row that the test holds, when A stops and B wants its
 * shards. The test repeats the attempt when the machine was too slow and Postgres has cut the commit short.
 */
async function takeOverAmidCommit(prepare?: (place: TestPlace) => Promise<void>) {
  for (let left = MOST_TRIES; ; left--) {
    const scene = await tryTakeOver(prepare);
    const isCutShort = /"why":"57014 canceling statement/.test(scene.pair.a.logLines.join('\n'));
    if (!isCutShort || left === 1) return scene;
    await scene.pair.stop();
    await scene.place.drop();
  }
}

async function tryTakeOver(prepare: (place: TestPlace) => Promise<void> = async () => {}) {
  const place = await createTestPlace();
  await prepare(place);
  const pair = await startPair(place, PATIENT_LEASE_MS);
  const { a, sendToA, sendToB } = pair;
  const journal = new Journal();
  assert.equal((await attempt(journal, create(place, 'first'), sendToA)).kind, 'acknowledged');
  const before = await epochOf(place);
  const lock = await lockHead(place.databaseUrl, place.organizationId);
  const stale = attempt(journal, create(place, 'amid'), sendToA);
  await untilBlocked(place.databaseUrl, 'dispatch commit');
  process.kill(a.pid!, 'SIGSTOP');
  await endLeaseOfA(place);
  let tookOverInside = false;
  await until('B tries to take the shard over', async () => {
    tookOverInside = (await epochOf(place)) > before;
    const takers = await backendsOf(place.databaseUrl, 'dispatch leases');
    return tookOverInside || takers.some(({ waitsForLock }) => waitsForLock);
  });
  if (tookOverInside) await noteTakeover(place, journal);
  await lock.release();
  await until('B has the shard', async () => (await epochOf(place)) > before);
  if (!tookOverInside) await noteTakeover(place, journal);
  process.kill(a.pid!, 'SIGCONT');
  await stale;
  const retried = await persistently(() => attempt(journal, create(place, 'amid'), sendToB));
  assert.equal(retried.kind, 'acknowledged');
  return { journal, place, pair, tookOverInside };
}

/** Raises the epoch in Postgres by hand, while A is stopped. */
function endLeaseOfA({ databaseUrl }: TestPlace): Promise<unknown> {
  return withSql(databaseUrl, (sql) => sql`UPDATE gateways SET lease_expires_at = now() WHERE id = 'a'`);
}

function create({ organizationId }: TestPlace, key: string): Operation {
  return { key, organizationId, kind: 'create' };
}

async function attempt(journal: Journal, operation: Operation, send: Send): Promise<Outcome> {
  journal.sent(operation);
  const outcome = await send(operation, 0);
  journal.heard(operation.key, outcome);
  return outcome;
}

/** Retries until the answer is an acknowledgement. */
async function persistently(ask: () => Promise<Outcome>): Promise<Outcome> {
  let outcome = await ask();
  await until('it is acknowledged', async () => {
    if (outcome.kind !== 'acknowledged') outcome = await ask();
    return outcome.kind === 'acknowledged';
  });
  return outcome;
}

/** Gives up on an attempt after a second, because its process may be stopped. Ignores later answers. */
function impatient(send: Send): Send {
  return (operation, number) =>
    Promise.race([
      send(operation, number),
      delay(1_000, undefined, { ref: false }).then((): Outcome => ({ kind: 'unknown', why: 'gave up waiting' })),
    ]);
}

function epochOf({ databaseUrl, organizationId }: TestPlace): Promise<number> {
  return withSql(databaseUrl, async (sql) => {
    const [row] = await sql<{ epoch: number }[]>`SELECT epoch FROM shards WHERE shard = ${shardOf(organizationId)}`;
    return row!.epoch;
  });
}

function lastSequenceOf({ databaseUrl, organizationId }: TestPlace): Promise<number> {
  return withSql(databaseUrl, async (sql) => {
    const [row] = await sql<{ lastSequence: number }[]>`
      SELECT last_sequence FROM organization_heads WHERE organization_id = ${organizationId}`;
    return row!.lastSequence;
  });
}

/** Notes the log that a new owner of the current epoch finds: no event of an earlier epoch may follow. */
async function noteTakeover(place: TestPlace, journal: Journal): Promise<void> {
  const { databaseUrl, organizationId } = place;
  const epoch = await epochOf(place);
  const [row] = await withSql(
    databaseUrl,
    (sql) => sql<{ sequence: number }[]>`
      SELECT coalesce(max(sequence), 0)::bigint AS sequence FROM events
      WHERE organization_id = ${organizationId} AND epoch < ${epoch}`,
  );
  journal.tookOver({ organizationId, epoch, sequence: row!.sequence });
}

async function epochsInLog({ databaseUrl }: TestPlace): Promise<number[]> {
  const rows = await withSql(databaseUrl, (sql) => sql<{ epoch: number }[]>`SELECT DISTINCT epoch FROM events`);
  return rows.map(({ epoch }) => epoch);
}

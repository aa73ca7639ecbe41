import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { Journal } from '../../support/journal.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { startCrashableSystem } from '../../support/system/crashable-system.ts';
import { until } from '../../support/until.ts';
import { assertKeptPromises } from './final-rows.ts';
import { type FollowedStream, followStream } from './followed-stream.ts';
import { byOrganization, runLoad, type Send, sendOverHttp } from './journaled-load.ts';

export interface SurvivedKills {
  readonly slowestMs: number;
  /** Answers to reads other than 200 and 503. */
  readonly wrongReads: readonly string[];
}

const LONGEST_PAUSE_MS = 100;

/**
 * Ends `kills` Postgres backends of a gateway at random moments of a mixed load, one at a time: those that commit,
 * load, renew leases, read, and look up keys. Asserts that the process lives, that every request gets an answer, and
 * that every answer is true.
 */
export async function surviveBackendKills(kills: number, seed: number): Promise<SurvivedKills> {
  const system = await startCrashableSystem({ organizations: 3 });
  const { organizations, baseUrl, place } = system;
  const journal = new Journal();
  const clients = byOrganization(organizations, ({ key }) => [createApiClient({ baseUrl, key })]);
  const streams: FollowedStream[] = [];
  let [over, slowestMs, unanswered] = [false, 0, 0];
  const post = sendOverHttp(clients);
  const send: Send = async (operation, attempt) => {
    const sentAt = performance.now();
    const outcome = await post(operation, attempt);
    slowestMs = Math.max(slowestMs, performance.now() - sentAt);
    if (outcome.kind === 'unknown' && outcome.status === undefined) unanswered += 1;
    return outcome;
  };
  const organizationIds = organizations.map(({ organizationId }) => organizationId);
  try {
    const { pid } = await system.startGateway();
    for (const organization of organizations) streams.push(await followStream(journal, baseUrl, organization));
    const isOver = () => over;
    const load = runLoad({
      journal,
      send,
      organizationIds,
      connections: 16,
      tasks: 1_000_000,
      name: 'task',
      mixed: true,
      isOver,
    });
    let readings = 0;
    const took = (ms: number) => {
      slowestMs = Math.max(slowestMs, ms);
      readings += 1;
    };
    const reading = Promise.all(organizationIds.map((id) => readAround(clients(id)[0]!, isOver, took)));
    const steps = () => Math.min(readings, journal.operations.size);
    const killed = await killBackends(place.databaseUrl, kills, seed, steps).finally(() => {
      over = true;
    });
    await load;
    const readers = await reading;
    assert.ok(process.kill(pid!, 0), 'the gateway lives');
    assert.equal(unanswered, 0, `${unanswered} requests got no answer`);
    for (const name of KINDS) {
      assert.ok(killed.has(name), `no backend of "${name}" was ended: ${[...killed.keys()]}`);
    }
    const done = `${readings} readings and ${journal.operations.size} operations`;
    assert.ok(readings > kills && journal.operations.size > kills, `${done} are hardly a load`);
    const { lastSequences } = await readHeads(place.databaseUrl);
    await Promise.all(organizationIds.map((id, index) => streams[index]!.reaches(lastSequences.get(id)!)));
    await assertKeptPromises(journal, place.databaseUrl);
    return { slowestMs, wrongReads: readers.flatMap((wrong) => [...wrong]) };
  } finally {
    over = true;
    for (const stream of streams) stream.stop();
    for (const id of organizationIds) for (const client of clients(id)) client.close();
    await system.stop();
  }
}

/** The connections that must be lost for the test to prove anything. */
const KINDS = ['commit', 'actors', 'leases', 'reads', 'access'].map((name) => `dispatch ${name}`);

/**
 * Ends `kills` backends, and more while chance has spared one of KINDS. Returns the number of each kind. Between two of
 * them the load makes a step of `steps` at least, however slow the machine.
 */
async function killBackends(
  databaseUrl: string,
  kills: number,
  seed: number,
  steps: () => number,
): Promise<Map<string, number>> {
  const random = seededRandom(seed);
  const killed = new Map<string, number>();
  const isEnough = (count: number) => count >= 3 * kills || (count >= kills && KINDS.every((kind) => killed.has(kind)));
  for (let count = 0; !isEnough(count); ) {
    await delay(random() * LONGEST_PAUSE_MS);
    const chance = random();
    // Kinds first: there is one commit connection and many that read.
    const victim = await withSql(databaseUrl, async (sql) => {
      const [found] = await sql<{ name: string; pid: number }[]>`
        WITH kinds AS (SELECT application_name AS name, min(pid) AS pid, row_number() OVER (ORDER BY application_name) - 1 AS place,
            count(*) OVER () AS kinds
          FROM pg_stat_activity WHERE datname = current_database() AND starts_with(application_name, 'dispatch ')
          GROUP BY application_name)
        SELECT name, pid FROM kinds WHERE place = floor(${chance}::float8 * kinds)`;
      // A statement of its own: as a further condition of the choice, Postgres would meet it first and end one of every
      // kind.
      const [ended] = found ? await sql<{ was: boolean }[]>`SELECT pg_terminate_backend(${found.pid}) AS was` : [];
      return ended?.was ? found!.name : undefined;
    });
    if (!victim) continue;
    killed.set(victim, (killed.get(victim) ?? 0) + 1);
    count += 1;
    await until('the load goes on', async () => steps() > count);
  }
  return killed;
}

/**
 * Reads lists, single tasks and their history, each on connections of its own, until `isOver`. Returns the answers
 * other than 200 and 503.
 */
async function readAround(client: ApiClient, isOver: () => boolean, took: (ms: number) => void) {
  const wrong = new Set<string>();
  while (!isOver()) {
    const sentAt = performance.now();
    const list = await client.list('limit=5');
    const first = list.status === 200 ? list.body.data.items[0] : undefined;
    const read = first && (await client.get(`/tasks/${first.id}`));
    const history = first && (await client.get(`/tasks/${first.id}/history`));
    took((performance.now() - sentAt) / 3);
    for (const [what, answer] of Object.entries({ list, read, history })) {
      if (answer && answer.status !== 200 && answer.status !== 503) wrong.add(`${what}: ${answer.text}`);
    }
    await delay(5);
  }
  return wrong;
}

async function readHeads(databaseUrl: string): Promise<{ readonly lastSequences: Map<number, number> }> {
  const rows = await withSql(
    databaseUrl,
    (sql) => sql<{ organizationId: number; lastSequence: number }[]>`
      SELECT organization_id, last_sequence FROM organization_heads`,
  );
  return { lastSequences: new Map(rows.map(({ organizationId, lastSequence }) => [organizationId, lastSequence])) };
}

/** Draws evenly between 0 and 1; the same seed gives the same numbers (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

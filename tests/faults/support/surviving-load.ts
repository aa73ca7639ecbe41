import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { Journal } from '../../support/journal.ts';
import { withSql } from '../../support/seeds/seed.ts';
import type { CrashableSystem } from '../../support/system/crashable-system.ts';
import { assertKeptPromises } from './final-rows.ts';
import { type FollowedStream, followStream } from './followed-stream.ts';
import { byOrganization, runLoad, sendOverHttp } from './journaled-load.ts';

const CONNECTIONS = 64;
/** Long enough for requests to come while it is away. */
const DOWN_MS = 300;
const MOST_READ = 100;

type Clients = ReturnType<typeof byOrganization<ApiClient[]>>;

export interface SurvivingLoad {
  readonly tasks: number;
  /** The crashes, spread evenly over the load. */
  readonly crashes: number;
  readonly crash: (system: CrashableSystem) => Promise<void>;
}

/**
 * 64 connections create tasks while the system crashes; clients retry unanswered requests, streams resume. Then
 * compares the rows with every answer. Stops the system.
 */
export async function surviveCrashes(system: CrashableSystem, { tasks, crashes, crash }: SurvivingLoad): Promise<void> {
  const { organizations, baseUrl, place } = system;
  const journal = new Journal();
  const streams: FollowedStream[] = [];
  const clients = byOrganization(organizations, ({ key }) => [createApiClient({ baseUrl, key })]);
  try {
    await system.startGateway();
    for (const organization of organizations) streams.push(await followStream(journal, baseUrl, organization));
    const load = runLoad({
      journal,
      send: sendOverHttp(clients),
      organizationIds: organizations.map(({ organizationId }) => organizationId),
      connections: CONNECTIONS,
      tasks,
      name: 'task',
      mixed: true,
    });
    let failure: unknown;
    load.catch((error: unknown) => {
      failure = error;
    });
    for (let number = 1; number <= crashes; number++) {
      while (answered(journal) < (tasks * number) / (crashes + 2)) {
        if (failure !== undefined) throw failure;
        await delay(5);
      }
      await crash(system);
    }
    await load;
    const retried = [...journal.operations.values()].filter(({ outcomes }) => outcomes.length > 1);
    assert.ok(retried.length >= crashes, 'the crashes met hardly a request');
    const kinds = new Set([...journal.operations.values()].map(({ operation }) => operation.kind));
    assert.deepEqual([...kinds].sort(), ['batch', 'cancel', 'create', 'job', 'update']);
    await allCaughtUp(system, streams);
    await assertKeptPromises(journal, place.databaseUrl);
    await assertShownAsAnswered(journal, clients);
  } finally {
    for (const stream of streams) stream.stop();
    for (const { organizationId } of organizations) for (const client of clients(organizationId)) client.close();
    await system.stop();
  }
}

/** Reads tasks from all over the load that nobody has changed: they show what the answer to their creation said. */
async function assertShownAsAnswered(journal: Journal, clients: Clients): Promise<void> {
  const operations = [...journal.operations.values()];
  const changed = new Set(operations.map(({ operation }) => operation.taskId));
  const unchanged = operations
    .filter(({ operation: { kind } }) => kind === 'create' || kind === 'job')
    .flatMap(({ operation, outcomes }) => {
      const told = outcomes.find((outcome) => outcome.kind === 'acknowledged');
      return told && !changed.has(told.taskId) ? [{ operation, told }] : [];
    });
  assert.ok(unchanged.length > 0, 'every task was changed');
  const step = Math.ceil(unchanged.length / MOST_READ);
  for (const { operation, told } of unchanged.filter((_, index) => index % step === 0)) {
    const { body } = await clients(operation.organizationId)[0]!.get(`/tasks/${told.taskId}`);
    assert.deepEqual(body.data, JSON.parse(told.data), `${operation.key} was answered otherwise than it is shown`);
  }
}

function answered(journal: Journal): number {
  let count = 0;
  for (const { outcomes } of journal.operations.values()) count += outcomes.length > 0 ? 1 : 0;
  return count;
}

async function allCaughtUp({ organizations, place }: CrashableSystem, streams: readonly FollowedStream[]) {
  const heads = await withSql(
    place.databaseUrl,
    (sql) => sql<{ organizationId: number; lastSequence: number }[]>`
      SELECT organization_id, last_sequence FROM organization_heads`,
  );
  const lastOf = new Map(heads.map(({ organizationId, lastSequence }) => [organizationId, lastSequence]));
  await Promise.all(
    organizations.map(({ organizationId }, index) => streams[index]!.reaches(lastOf.get(organizationId)!)),
  );
}

/** Kills the gateway and starts it again. */
export async function crashGateway(system: CrashableSystem): Promise<void> {
  await system.killGateway();
  await system.startGateway();
}

/** Kills Postgres and starts it again on its files; the gateway must survive. */
export async function crashPostgres(system: CrashableSystem): Promise<void> {
  const { pid } = system.gateway!;
  await system.killPostgres();
  await delay(DOWN_MS);
  await system.startPostgres();
  assert.ok(process.kill(pid!, 0), 'the gateway outlives its Postgres');
}

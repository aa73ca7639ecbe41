import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { idempotencyKey } from '../../../schema/fields/idempotency-key.ts';
import { createApiClient } from '../../support/api-client.ts';
import { Journal, type Operation, type Outcome } from '../../support/journal.ts';
import { type SeededOrganization, withSql } from '../../support/seeds/seed.ts';
import { startCrashableSystem } from '../../support/system/crashable-system.ts';
import { createFaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import { until } from '../../support/until.ts';
import { callerOf, createCommand, startEngineFixture, statusOf } from '../support/engine-fixture.ts';
import { assertKeptPromises } from '../support/final-rows.ts';
import { byOrganization, runLoad, sendOverHttp } from '../support/journaled-load.ts';
import { assertMemoryIsPostgres } from '../support/memory.ts';

/** The answers that must come: to the poison, to the innocent command beside it, and to the neighbours. */
const FEWEST = { poison: 20, innocent: 10, neighbour: 200 } as const;

/** A database rule about rows that the engine does not know. */
function forbidPoison(databaseUrl: string): Promise<unknown> {
  return withSql(
    databaseUrl,
    (sql) => sql`ALTER TABLE tasks ADD CONSTRAINT tasks_no_poison CHECK (name NOT LIKE 'poison%')`,
  );
}

test('an organization that posts poison without pause does not make its neighbours see a 5xx', async () => {
  const system = await startCrashableSystem({ organizations: 4 });
  const { organizations, baseUrl, place } = system;
  const journal = new Journal();
  const clients = byOrganization(organizations, ({ key }) => [createApiClient({ baseUrl, key })]);
  const [poisoner, ...neighbours] = organizations.map(({ organizationId }) => organizationId);
  try {
    await forbidPoison(place.databaseUrl);
    await system.startGateway();
    let isOver = false;
    const common = { journal, send: sendOverHttp(clients), tasks: 100_000, isOver: () => isOver };
    const load = Promise.all([
      runLoad({ ...common, organizationIds: [poisoner!], connections: 8, name: 'poison', isEnough: isPoisoned }),
      runLoad({ ...common, organizationIds: [poisoner!], connections: 4, name: 'innocent' }),
      runLoad({ ...common, organizationIds: neighbours, connections: 24, name: 'neighbour' }),
    ]);
    const areEnough = () => Object.entries(FEWEST).every(([name, fewest]) => outcomesOf(journal, name).length > fewest);
    await until('enough is answered', areEnough).finally(() => {
      isOver = true;
    });
    await load;
    const poison = outcomesOf(journal, 'poison');
    const bad = poison.filter((o) => !isPoisoned(o) && !(o.kind === 'refused' && o.status === 503));
    assert.deepEqual(bad.slice(0, 3), [], 'poison is answered 500, or 503 when it was not even tried');
    assert.ok(poison.some(isPoisoned));
    const innocent = outcomesOf(journal, 'innocent');
    assert.deepEqual(notAcknowledged(innocent), [], 'the innocent of the same organization get their 2xx');
    const others = outcomesOf(journal, 'neighbour');
    assert.deepEqual(notAcknowledged(others), [], 'neighbours get their 2xx');
    assert.ok(process.kill(system.gateway!.pid!, 0), 'the gateway lives');
    await assertKeptPromises(journal, place.databaseUrl, isPoison);
  } finally {
    for (const { organizationId } of organizations) for (const client of clients(organizationId)) client.close();
    await system.stop();
  }
});

test('of the commands in one batch only the guilty one is refused', async () => {
  const store = createFaultyCommitStore();
  const fixture = await startEngineFixture({ organizations: 2, wrapCommitStore: store.wrap });
  const { engine, databaseUrl, organizationIds, send } = fixture;
  const journal = new Journal();
  const make = async (organizationId: number, key: string) => {
    journal.sent({ key, organizationId, kind: 'create' });
    const outcome = await send({ key, organizationId, kind: 'create' }, 0);
    journal.heard(key, outcome);
    return outcome.kind === 'acknowledged' ? outcome.kind : outcome.status;
  };
  const [mixed, neighbour] = organizationIds as [number, number];
  try {
    await forbidPoison(databaseUrl);
    await Promise.all([make(mixed, 'first-1'), make(neighbour, 'first-2')]);
    const held = store.hold();
    const occupying = make(neighbour, 'occupying');
    await held.arrived;
    const keys = ['a-1', 'a-2', 'poison-3', 'a-4', 'a-5', 'poison-6', 'a-7'];
    const answers = keys.map((key) => make(mixed, key));
    const beside = make(neighbour, 'beside');
    await delay(100);
    held.release();
    const expected = keys.map((key) => (key.startsWith('poison') ? 500 : 'acknowledged'));
    assert.deepEqual(await Promise.all(answers), expected);
    assert.deepEqual(await Promise.all([occupying, beside]), ['acknowledged', 'acknowledged']);
    assert.equal(await make(mixed, 'later'), 'acknowledged');
    await assertMemoryIsPostgres(engine, databaseUrl, mixed, journal);
    await assertKeptPromises(journal, databaseUrl, isPoison);
  } finally {
    await fixture.stop();
  }
});

test('a row that is too long for an index is the fault of its command alone', async () => {
  const store = createFaultyCommitStore();
  const { engine, organizations, stop } = await startEngineFixture({ organizations: 2, wrapCommitStore: store.wrap });
  const [mixed, neighbour] = organizations as [SeededOrganization, SeededOrganization];
  const make = (organization: SeededOrganization, key: string, scope?: string) => {
    const command = createCommand(key, callerOf(organization));
    const asked = scope ? { ...command, idempotency: idempotencyKey(scope, key, key) } : command;
    return engine.ask(organization.organizationId, asked).then(statusOf);
  };
  try {
    await Promise.all([make(mixed, 'first-1'), make(neighbour, 'first-2')]);
    const held = store.hold();
    const occupying = make(neighbour, 'occupying');
    await held.arrived;
    // No guard lets such a scope through. It stands for any other value that is too long for an index.
    const answers = [make(mixed, 'a'), make(mixed, 'b', randomBytes(3_000).toString('hex')), make(neighbour, 'beside')];
    await delay(100);
    held.release();
    assert.deepEqual(await Promise.all([occupying, ...answers]), [201, 201, 500, 201]);
  } finally {
    await stop();
  }
});

/** The answer to a command that breaks a rule of the database. */
function isPoisoned(outcome: Outcome): boolean {
  return outcome.kind === 'unknown' && outcome.status === 500;
}

function isPoison({ key }: Operation, status: number): boolean {
  return key.startsWith('poison') && status === 500;
}

function outcomesOf(journal: Journal, name: string): Outcome[] {
  return [...journal.operations].filter(([key]) => key.startsWith(`${name}-`)).flatMap(([, { outcomes }]) => outcomes);
}

function notAcknowledged(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ kind }) => kind !== 'acknowledged').slice(0, 3);
}

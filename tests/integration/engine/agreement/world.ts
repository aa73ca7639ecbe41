import { type Engine, startEngine } from '../../../../engine/org/start-engine.ts';
import { type Clock, isoTime, systemClock, systemScheduler } from '../../../../engine/runtime/clock.ts';
import { createReleaser } from '../../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import { connectPostgres, type Sql } from '../../../../engine/store/postgres.ts';
import type { Answer, Caller, Command } from '../../../../schema/commands.ts';
import { ROOMY } from '../../../faults/support/engine-fixture.ts';
import { secretsKeys } from '../../../support/secrets.ts';
import { type SeededOrganization, seedAgent, seedOrganization } from '../../../support/seeds/seed.ts';
import { createMigratedDatabase } from '../../../support/stores.ts';
import type { Callers } from './to-command.ts';

/** An engine whose wall clock stands still until it is set forward, and a connection beside it. */
export interface World {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly sql: Sql;
  readonly databaseUrl: string;
  forward(ms: number): void;
  stop(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const releaser = createReleaser(() => {});
  try {
    const database = await createMigratedDatabase();
    releaser.push('database', () => database.drop());
    let nowMs = systemClock.now();
    const clock: Clock = { now: () => nowMs, monotonic: systemClock.monotonic };
    const engine = await startEngine({
      databaseUrl: database.url,
      gatewayId: 'agreement',
      address: 'test',
      leaseMs: 10_000,
      memory: ROOMY,
      allowVolatilePostgres: false,
      faultPoint: undefined,
      secretsKeys,
      clock,
      scheduler: systemScheduler,
      random: createRandomSource(),
      log: createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'silent'),
      releaser,
    });
    const sql = connectPostgres(database.url, { name: 'test', connections: 1, statementTimeoutMs: 30_000 });
    releaser.push('sql', () => sql.end({ timeout: 5 }));
    const forward = (ms: number) => {
      nowMs += ms;
    };
    return { engine, clock, sql, databaseUrl: database.url, forward, stop: () => releaser.stop() };
  } catch (error) {
    await releaser.stop().catch(() => {});
    throw error;
  }
}

export const PHONELESS = { name: 'Paper Customer', email: 'c1@example.com' };

/** One organization of a world, asked as the gateway asks. */
export class Tenant {
  readonly world: World;
  readonly organizationId: number;
  readonly agentId: number;
  /** A customer from elsewhere, with an e-mail address and no phone. */
  readonly customerId: number;
  readonly callers: Callers;

  constructor(world: World, seed: SeededOrganization, agentId: number, customerId: number) {
    const { organizationId, channelId } = seed;
    this.world = world;
    this.organizationId = organizationId;
    this.agentId = agentId;
    this.customerId = customerId;
    const base = { type: 'channel', id: channelId, channelId } as const;
    const agent: Caller = { ...base, role: 'agent', agentId };
    this.callers = { dispatcher: { ...base, role: 'dispatcher', agentId: null }, agent };
  }

  ask(command: Command): Promise<Answer> {
    return this.world.engine.ask(this.organizationId, command);
  }

  /** The JSON of a task as its actor answers it; the code of a refusal. */
  async read(taskId: number): Promise<string> {
    const caller = this.callers.dispatcher;
    const answer = await this.ask({ kind: 'read-task', caller, taskId, show: 'task' });
    return answer.ok ? answer.data : answer.refusal.code;
  }

  /** The next command meets an actor that knows nothing yet. */
  async retire(): Promise<void> {
    await this.world.engine.parts.groupCommit.whenIdle();
    this.world.engine.parts.directory.find(this.organizationId)?.retire();
  }

  /** A minute and a half passes, and the engine looks at the timers. */
  async wait(): Promise<void> {
    this.world.forward(90_000);
    // The engine looks at its timers by itself, too: where that is under way, and began before, it is asked once more.
    do {
      await this.read(0);
      await this.world.engine.parts.directory.find(this.organizationId)!.wake();
      await this.world.engine.parts.groupCommit.whenIdle();
    } while (await this.#isDue());
  }

  async #isDue(): Promise<boolean> {
    const now = isoTime(this.world.clock.now());
    const due = await this.world.sql`
      SELECT FROM tasks WHERE organization_id = ${this.organizationId} AND deadline_at <= ${now}::timestamptz LIMIT 1`;
    return due.length > 0;
  }
}

export async function openTenant(world: World, limits: Readonly<Record<string, number | null>>): Promise<Tenant> {
  const { databaseUrl, sql, clock } = world;
  const seed = await seedOrganization(databaseUrl, { limits, role: 'dispatcher' });
  // Postgres has dated its head: the engine's clock may not be behind.
  world.forward(Math.max(1, systemClock.now() + 1 - clock.now()));
  const { organizationId } = seed;
  // Nobody is found here, and no search ends by itself in the time of a history.
  await sql`UPDATE organizations SET settings = '{"assignment": {"searchTimeoutSeconds": 86400}}'
    WHERE organization_id = ${organizationId}`;
  const { agentId } = await seedAgent(databaseUrl, organizationId);
  const [firstName, lastName] = PHONELESS.name.split(' ') as [string, string];
  const [customer] = await sql<{ id: number }[]>`
    INSERT INTO customers (organization_id, id, version, user_id, customer_type, first_name, last_name, email, created_at, updated_at)
    VALUES (${organizationId}, nextval('customer_ids'), 1, nextval('user_ids'), 'individual', ${firstName}, ${lastName},
      ${PHONELESS.email}, now(), now())
    RETURNING id`;
  await sql`
    INSERT INTO usage (organization_id, resource, period, used) VALUES (${organizationId}, 'customers', '1970-01-01', 1)`;
  return new Tenant(world, seed, agentId, customer!.id);
}

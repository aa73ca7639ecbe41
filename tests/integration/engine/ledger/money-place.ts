import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { OWN_ACCOUNTS } from '../../../../engine/domain/money/ledger.ts';
import type { Engine } from '../../../../engine/org/start-engine.ts';
import { createReleaser, type Releaser } from '../../../../engine/runtime/lifecycle.ts';
import { connectPostgres, type Sql } from '../../../../engine/store/postgres.ts';
import type { Caller, Command } from '../../../../schema/commands.ts';
import { idempotencyKey } from '../../../../schema/fields/idempotency-key.ts';
import type { AccountBalance, AccountOwner } from '../../../../schema/money/ledger.ts';
import { callerOf, openTestEngine, statusOf } from '../../../faults/support/engine-fixture.ts';
import { seedAgent, seedOrganization } from '../../../support/seeds/seed.ts';
import { seedTasks, type TaskSeed } from '../../../support/seeds/seed-task.ts';
import { createMigratedDatabase } from '../../../support/stores.ts';
import { createFaultyCommitStore, type FaultyCommitStore } from '../../../support/system/faulty-commit-store.ts';
import type { Operation } from './money-model.ts';
import { decimal, type MoneyState, readMoney, readPayments } from './money-state.ts';

/** An engine that can be started again, and whose commits can fail. */
export interface MoneyWorld {
  readonly sql: Sql;
  readonly databaseUrl: string;
  readonly faults: FaultyCommitStore;
  readonly engine: Engine;
  /** Another engine takes over, which knows nothing yet. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function openMoneyWorld(): Promise<MoneyWorld> {
  const releaser = createReleaser(() => {});
  try {
    const database = await createMigratedDatabase();
    releaser.push('database', () => database.drop());
    const sql = connectPostgres(database.url, { name: 'test', connections: 2, statementTimeoutMs: 30_000 });
    releaser.push('sql', () => sql.end({ timeout: 5 }));
    const faults = createFaultyCommitStore();
    let own: Releaser | undefined;
    const open = async () => {
      own = createReleaser(() => {});
      return openTestEngine(database.url, { releaser: own, wrapCommitStore: faults.wrap });
    };
    releaser.push('engine', () => own?.stop());
    let engine = await open();
    return {
      sql,
      databaseUrl: database.url,
      faults,
      get engine() {
        return engine;
      },
      async restart() {
        await own!.stop();
        engine = await open();
      },
      stop: () => releaser.stop(),
    };
  } catch (error) {
    await releaser.stop().catch(() => {});
    throw error;
  }
}

/** A fault that is planted hits one commit; until its end is known others are put off, too. */
const MOST_TRIES = 500;
const BETWEEN_TRIES_MS = 10;
const NOBODY: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };

/** One organization with tasks of every kind, two customers, two agents and a courier. */
export class MoneyTenant {
  readonly world: MoneyWorld;
  readonly organizationId: number;
  readonly customerIds: readonly number[];
  readonly #caller: Caller;
  #keys = 0;

  constructor(world: MoneyWorld, organizationId: number, caller: Caller, customerIds: readonly number[]) {
    this.world = world;
    this.organizationId = organizationId;
    this.customerIds = customerIds;
    this.#caller = caller;
  }

  read(): Promise<MoneyState> {
    return readMoney(this.world.sql, this.organizationId);
  }

  /** Asks like a client that retries with the same key until it knows the outcome: `ok`, or the code of a refusal. */
  async ask(operation: Operation): Promise<string> {
    this.#keys += 1;
    const key = idempotencyKey('test', `key ${this.#keys}`, JSON.stringify(operation));
    const command: Command = { ...this.#commandOf(operation), idempotency: key };
    for (let tries = 1; ; tries++) {
      const answer = await this.world.engine.ask(this.organizationId, command);
      if (answer.ok) return 'ok';
      if (statusOf(answer) < 500) return answer.refusal.code;
      assert.ok(answer.refusal.code !== 'INTERNAL', 'a failure that no fault explains');
      assert.ok(tries < MOST_TRIES, `${answer.refusal.code} after ${tries} tries of ${JSON.stringify(operation)}`);
      await delay(BETWEEN_TRIES_MS);
    }
  }

  /** The next command meets an actor that knows nothing yet. */
  async retire(): Promise<void> {
    await this.world.engine.parts.groupCommit.whenIdle();
    this.world.engine.parts.directory.find(this.organizationId)?.retire();
  }

  /** Fails when the actor remembers anything otherwise than Postgres has it. */
  async assertMemoryAgrees(): Promise<void> {
    const { engine, sql } = this.world;
    await engine.parts.groupCommit.whenIdle();
    const actor = engine.parts.directory.find(this.organizationId);
    if (!actor?.isLive) return;
    const { money } = actor.state;
    for (const record of await readPayments(sql, this.organizationId))
      assert.deepEqual(money.findPayment(record.id) ?? record, record);
    const rows = await sql<AccountBalance[]>`
      SELECT account, owner_id, currency, balance_minor, entries FROM ledger_accounts
      WHERE organization_id = ${this.organizationId}`;
    const owners: AccountOwner[] = [...OWN_ACCOUNTS, ...rows];
    for (const owner of owners.filter((each) => money.knowsAccountsOf(each))) {
      for (const currency of new Set(rows.map((row) => row.currency))) {
        const row = rows.find(
          (each) => each.account === owner.account && each.ownerId === owner.ownerId && each.currency === currency,
        );
        assert.deepEqual(money.findBalance(owner, currency), row, `${owner.account} ${owner.ownerId} ${currency}`);
      }
    }
  }

  #commandOf(operation: Operation): Command {
    const caller = this.#caller;
    switch (operation.kind) {
      case 'pay': {
        const { taskId, method, sum } = operation;
        const base = { kind: 'pay-task', caller, input: { taskId, ...decimal(sum) } } as const;
        return method === 'online' ? { ...base, method, provider: 'test' } : { ...base, method };
      }
      case 'refund':
        return { kind: 'refund-payment', caller, paymentId: operation.paymentId, input: { reason: 'asked for' } };
      case 'top-up':
        return { kind: 'top-up-wallet', caller, customerId: operation.customerId, input: decimal(operation.sum) };
      case 'end': {
        const { taskId, status, outcome } = operation;
        const failed = outcome && { outcome, failureReason: 'nobody there' };
        return { kind: 'change-task-status', caller, taskId, input: { status, ...failed } };
      }
      case 'report':
        return { kind: 'settle-payment', caller: NOBODY, paymentId: operation.paymentId, report: operation.report };
    }
  }
}

/** Cash tasks are in USD; a few are made in currencies of 0 and 3 decimals afterwards. */
export const CASH_MINOR = 250;

export async function openMoneyTenant(world: MoneyWorld): Promise<MoneyTenant> {
  const { databaseUrl, sql } = world;
  const seed = await seedOrganization(databaseUrl, { role: 'dispatcher' });
  const { organizationId } = seed;
  const [{ agentId: first }, { agentId: second }] = [
    await seedAgent(databaseUrl, organizationId),
    await seedAgent(databaseUrl, organizationId),
  ];
  const collection = { status: 'in_transit', amountMinor: CASH_MINOR } as const;
  const drop = { ...collection, taskType: 'cash_drop' } as const;
  const ofOneCustomer: TaskSeed[] = [
    {},
    { agentId: first, status: 'in_transit', packages: ['collecting_payment'] },
    { agentId: second, status: 'assigned' },
    { ...collection, agentId: first, packages: ['delivering'] },
    { ...drop, agentId: first },
    { ...drop, courierId: 77 },
  ];
  const ofAnother: TaskSeed[] = [
    { courierId: 77, status: 'in_transit' },
    { ...collection, agentId: second },
    { ...collection, courierId: 77 },
    { ...drop, agentId: first },
    {
      status: 'in_transit',
      children: [
        { ...collection, agentId: first },
        { agentId: second, status: 'in_transit' },
      ],
    },
    {},
  ];
  const tasks = [
    ...(await seedTasks(databaseUrl, seed, ofOneCustomer)),
    ...(await seedTasks(databaseUrl, seed, ofAnother)),
  ];
  const inCurrency = (index: number, currency: string) => sql`
    UPDATE tasks SET currency = ${currency} WHERE organization_id = ${organizationId} AND id = ${tasks[index]!.id}`;
  await inCurrency(7, 'JPY');
  await inCurrency(8, 'KWD');
  await sql`UPDATE tasks SET customer_id = NULL WHERE organization_id = ${organizationId} AND id = ${tasks[8]!.id}`;
  const customers = await sql<{ id: number }[]>`
    SELECT id FROM customers WHERE organization_id = ${organizationId} ORDER BY id`;
  const caller: Caller = { ...callerOf(seed), role: 'dispatcher' };
  return new MoneyTenant(
    world,
    organizationId,
    caller,
    customers.map(({ id }) => id),
  );
}

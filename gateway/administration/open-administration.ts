import type { Engine } from '../../engine/org/start-engine.ts';
import { systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { requireUrl } from '../../engine/runtime/config.ts';
import { checkWebhookUrl } from '../../engine/runtime/outbound/check-webhook-url.ts';
import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';
import { refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PasswordHasher } from '../accounts/password-hasher.ts';
import { FairQueue } from '../fair-queue.ts';
import type { Access, AccessOptions } from '../guards/open-access.ts';
import type { Administering } from './administer.ts';

/** Changes of organizations, users, channels and webhooks, and what is read of them. */
export interface Administration extends Administering {
  /** Reads something for an organization when it is its turn; rejects with a RefusalError when too much waits. */
  read<T>(organizationId: number, work: (sql: Sql) => Promise<T>): Promise<T>;
  readonly hashPassword: PasswordHasher['hash'];
  readonly ask: Engine['ask'];
  /** What is wrong with where an organization wants its events, when it is its turn to know; see checkWebhookUrl. */
  checkUrl(organizationId: number, url: string): Promise<string | undefined>;
  /** Has the workers look at an organization now. */
  readonly announce: (organizationId: number) => void;
  /** The incarnation of the event logs. */
  readonly history: string;
}

export function openAdministration(
  { config, releaser }: AccessOptions,
  engine: Engine,
  access: Pick<Access, 'settled'>,
  passwords: Pick<PasswordHasher, 'hash'>,
  announce: Administration['announce'],
): Administration {
  const connect = (name: string, connections: number, statementTimeoutMs: number) => {
    const url = requireUrl('DATABASE_URL', config.databaseUrl);
    const sql = connectPostgres(url, { name, connections, statementTimeoutMs });
    releaser.push(`postgres (${name})`, () => sql.end({ timeout: 2 }));
    return sql;
  };
  const reads = connect('dispatch audit', LIMITS.administrationReadConnections, LIMITS.readDeadlineMs);
  const readTurns = turnsAt(LIMITS.administrationReadConnections);
  const urlTurns = turnsAt(LIMITS.webhookUrlChecks);
  const { webhookAllowPrivate: allowPrivate } = config;
  return {
    sql: connect('dispatch administration', LIMITS.administrationConnections, LIMITS.commitDeadlineMs / 2),
    turns: turnsAt(LIMITS.administrationConnections),
    read: (organizationId, work) => readTurns.run(organizationId, () => work(reads)),
    clock: systemClock,
    settled: access.settled,
    hashPassword: passwords.hash,
    ask: engine.ask,
    checkUrl: (organizationId, url) => urlTurns.run(organizationId, () => checkWebhookUrl(url, { allowPrivate })),
    announce,
    history: engine.history,
  };
}

function turnsAt(atOnce: number): FairQueue {
  return new FairQueue({
    atOnce,
    waiting: LIMITS.administrationQueue,
    waitingOfOne: LIMITS.administrationQueuePerOrganization,
    patience: { ms: LIMITS.administrationPatienceMs, scheduler: systemScheduler },
    full: () => refusal('OVERLOADED'),
  });
}

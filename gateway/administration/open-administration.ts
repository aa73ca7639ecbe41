import type { Engine } from '../../engine/org/start-engine.ts';
import { systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { requireUrl } from '../../engine/runtime/config.ts';
import { checkWebhookUrl } from '../../engine/runtime/outbound/check-webhook-url.ts';
import type { SecretBox } from '../../engine/runtime/secret-box.ts';
import { openVapidKeys, type VapidKeys } from '../../engine/store/notifications/vapid-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PasswordHasher } from '../accounts/password-hasher.ts';
import { FairQueue } from '../fair-queue.ts';
import type { Access, AccessOptions } from '../guards/open-access.ts';
import { openReads, type Reads, SLOW_READS } from '../reads.ts';
import type { Administering } from './administer.ts';

/** Changes of organizations, users, channels and webhooks, and what is read of them. */
export interface Administration extends Administering {
  /** For the audit log and lists, whose far pages take long. */
  readonly reads: Reads;
  /** How proofs are written: there are many of them, they are large, and nobody else shall wait for them. */
  readonly proofs: Administering;
  /** For the secrets that are stored. */
  readonly secretBox: SecretBox;
  readonly hashPassword: PasswordHasher['hash'];
  readonly ask: Engine['ask'];
  /** The fault of a webhook's URL, at the organization's turn; see checkWebhookUrl. */
  checkUrl(organizationId: number, url: string): Promise<string | undefined>;
  /** The public key for web push subscriptions, at the organization's turn. */
  webPushKey(organizationId: number): Promise<string>;
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
  const databaseUrl = requireUrl('DATABASE_URL', config.databaseUrl);
  const connect = (name: string, connections: number, statementTimeoutMs: number) => {
    const sql = connectPostgres(databaseUrl, { name, connections, statementTimeoutMs });
    releaser.push(`postgres (${name})`, () => sql.end({ timeout: 2 }));
    return sql;
  };
  const reads = openReads({ databaseUrl, releaser, scheduler: systemScheduler }, SLOW_READS);
  const urlTurns = turnsAt(LIMITS.webhookUrlChecks);
  const { webhookAllowPrivate: allowPrivate } = config;
  let keys: VapidKeys | undefined;
  const shared = { clock: systemClock, settled: access.settled };
  return {
    ...shared,
    sql: connect('dispatch administration', LIMITS.administrationConnections, LIMITS.commitDeadlineMs / 2),
    turns: turnsAt(LIMITS.administrationConnections),
    proofs: {
      ...shared,
      sql: connect('dispatch proofs', LIMITS.proofConnections, LIMITS.commitDeadlineMs / 2),
      turns: turnsAt(LIMITS.proofConnections, { all: LIMITS.proofQueue, ofOne: LIMITS.proofQueuePerOrganization }),
    },
    reads,
    secretBox: engine.secretBox,
    hashPassword: passwords.hash,
    ask: engine.ask,
    checkUrl: (organizationId, url) => urlTurns.run(organizationId, () => checkWebhookUrl(url, { allowPrivate })),
    async webPushKey(organizationId) {
      keys ??= await reads.run(organizationId, (sql) => openVapidKeys(sql, engine.secretBox, config));
      return keys.publicKey;
    },
    announce,
    history: engine.history,
  };
}

const QUEUE: { readonly all: number; readonly ofOne: number } = {
  all: LIMITS.administrationQueue,
  ofOne: LIMITS.administrationQueuePerOrganization,
};

function turnsAt(atOnce: number, waiting = QUEUE): FairQueue {
  return new FairQueue({
    atOnce,
    waiting: waiting.all,
    waitingOfOne: waiting.ofOne,
    patience: { ms: LIMITS.administrationPatienceMs, scheduler: systemScheduler },
    full: () => refusal('OVERLOADED'),
  });
}

import { type Scheduler, systemClock, systemScheduler } from '../../../../engine/runtime/clock.ts';
import { createLog } from '../../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import { createMailStore, requestMail } from '../../../../engine/store/accounts/mail-store.ts';
import type { Sql } from '../../../../engine/store/postgres.ts';
import type { TokenPurpose } from '../../../../schema/accounts/session.ts';
import { createMailTransport, type MailWaits } from '../../../../workers/notifications/mail-transport.ts';
import { startMailer } from '../../../../workers/notifications/mailer.ts';
import { seedOrganization, seedUser } from '../../../support/seeds/seed.ts';
import { type DatabaseFixture, useDatabase } from '../../../support/system/use-database.ts';
import { type Behaviour, type MailServer, startMailServer } from './mail-server.ts';

export const PUBLIC_URL = 'https://dispatch.example.com';
export const FROM = 'dispatch@example.com';

interface WaitingMail {
  readonly email: string;
  readonly attempts: number;
  readonly dueInMs: number;
  /** From when it was asked for until it is due. */
  readonly putOffMs: number;
}

export interface MailPlace {
  readonly sql: Sql;
  readonly databaseUrl: string;
  /** The users' organization. */
  readonly organizationId: number;
  readonly server: MailServer;
  readonly behaviour: Behaviour;
  /** A user who has not verified the address, or has; of another organization when one is named. */
  user(isVerified?: boolean, ofOrganization?: number): Promise<{ readonly userId: number; readonly email: string }>;
  request(purpose: TokenPurpose, email: string): Promise<void>;
  requests(): Promise<WaitingMail[]>;
  /** Runs the mailer meanwhile; without `smtpUrl` into `outbox`. It looks for mails every SWEEP_MS, or as `every` says. */
  mailing(
    body: () => Promise<void>,
    transport?: { smtpUrl?: string; outbox?: string; waits?: MailWaits },
    every?: Scheduler['every'],
  ): Promise<void>;
}

/** Instead of LIMITS.mailSweepMs, so that tests do not wait. */
export const SWEEP_MS = 25;
const hurried: Scheduler['every'] = (_, task) => systemScheduler.every(SWEEP_MS, task);

type WithMail = (body: (place: MailPlace) => Promise<void>) => Promise<void>;

/**
 * One database for all tests of a file. The returned function runs `body` with an organization and a mail server of its
 * own; the mailer looks across organizations, so it leaves no request and no token behind.
 */
export function useMail(): WithMail {
  const { url, sql } = useDatabase({ connections: 6 });
  return (body) => withMail({ url, sql }, body);
}

async function withMail({ url, sql }: Pick<DatabaseFixture, 'url' | 'sql'>, body: (place: MailPlace) => Promise<void>) {
  const { organizationId } = await seedOrganization(url);
  const behaviour: Behaviour = {};
  const server = await startMailServer(behaviour);
  const place: MailPlace = {
    sql,
    databaseUrl: url,
    organizationId,
    server,
    behaviour,
    async user(isVerified = false, ofOrganization = organizationId) {
      const user = await seedUser(url, ofOrganization, 'dispatcher');
      const verifiedAt = isVerified ? new Date().toISOString() : null;
      await sql`
        UPDATE users SET email_verified_at = ${verifiedAt}
        WHERE organization_id = ${ofOrganization} AND id = ${user.userId}`;
      return user;
    },
    request: (purpose, email) => requestMail(sql, purpose, email),
    requests: async () => [
      ...(await sql<WaitingMail[]>`
        SELECT email, attempts, extract(epoch FROM due_at - now())::float8 * 1000 AS due_in_ms,
          extract(epoch FROM due_at - requested_at)::float8 * 1000 AS put_off_ms FROM mail_requests`),
    ],
    async mailing(meanwhile, { smtpUrl, outbox = '', waits } = { smtpUrl: server.url }, every = hurried) {
      const clock = systemClock;
      const random = createRandomSource();
      const send = createMailTransport({ smtpUrl, from: FROM, outbox, clock, random, ...(waits && { waits }) });
      const log = createLog('workers', 'silent');
      const scheduler = { ...systemScheduler, every };
      const mailer = startMailer({ store: createMailStore(sql), send, publicUrl: PUBLIC_URL, clock, scheduler, log });
      try {
        await meanwhile();
      } finally {
        await mailer.stop();
      }
    },
  };
  try {
    await body(place);
  } finally {
    await server.stop();
    await sql`TRUNCATE mail_requests, user_tokens`;
  }
}

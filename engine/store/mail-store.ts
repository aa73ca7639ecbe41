import { LIMITS } from '../../schema/limits.ts';
import type { TokenPurpose } from '../../schema/session.ts';
import { write } from './account-statements.ts';
import type { Sql } from './postgres.ts';
import { type IssuedToken, issueToken } from './user-token-store.ts';

/** A mail that somebody asked for and that one worker has taken on, until its lease runs out. */
export interface MailRequest {
  readonly purpose: TokenPurpose;
  readonly email: string;
  /** ISO 8601. */
  readonly requestedAt: string;
  /** Tries so far, this one included. */
  readonly attempts: number;
}

export interface MailStore {
  /** Takes on up to `most` mails that are due. A worker that dies leaves them to be due again. */
  lease(most: number): Promise<MailRequest[]>;
  /** See issueToken. */
  issueToken(request: MailRequest, now: number): Promise<IssuedToken | undefined>;
  /** It is sent, or need not be. */
  settle(request: MailRequest): Promise<void>;
  postpone(request: MailRequest, pauseMs: number): Promise<void>;
}

/**
 * Notes that somebody wants a mail. The same write whether or not anybody has the address, and whether or not one is
 * asked for already: neither the answer nor the time it takes tells.
 */
export async function requestMail(sql: Sql, purpose: TokenPurpose, email: string): Promise<void> {
  await write(
    sql`
    INSERT INTO mail_requests (purpose, email) VALUES (${purpose}, ${email})
    ON CONFLICT (purpose, lower(email)) DO UPDATE SET requested_at = excluded.requested_at`,
    'asking for a mail',
  );
}

export function createMailStore(sql: Sql): MailStore {
  return {
    lease: (most) =>
      write(
        sql<MailRequest[]>`
        UPDATE mail_requests SET due_at = now() + ${LIMITS.mailLeaseMs} * interval '1 ms', attempts = attempts + 1
        WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM mail_requests WHERE due_at <= now() ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED))
        RETURNING purpose, email, requested_at, attempts`,
        'looking for mails',
      ),
    issueToken: ({ purpose, email }, now) => issueToken(sql, purpose, email, now),
    async settle({ purpose, email }) {
      await write(
        sql`DELETE FROM mail_requests WHERE purpose = ${purpose} AND lower(email) = lower(${email})`,
        'settling a mail',
      );
    },
    async postpone({ purpose, email }, pauseMs) {
      await write(
        sql`
        UPDATE mail_requests SET due_at = now() + ${pauseMs} * interval '1 ms'
        WHERE purpose = ${purpose} AND lower(email) = lower(${email})`,
        'postponing a mail',
      );
    },
  };
}

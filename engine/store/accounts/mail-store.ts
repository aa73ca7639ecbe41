import type { TokenPurpose } from '../../../schema/accounts/session.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Fragment, Sql } from '../postgres.ts';
import { once } from '../statements.ts';

import { type IssuedToken, issueToken, isTokenRepeated, withdrawToken } from './user-token-store.ts';

/** A requested mail that one worker has leased. */
export interface MailRequest {
  readonly purpose: TokenPurpose;
  readonly email: string;
  /** ISO 8601. */
  readonly requestedAt: string;
  /** The same as Postgres writes it, to the microsecond: the identity of the request for its address. */
  readonly requestedExactly: string;
  /** Tries so far, this one included. */
  readonly attempts: number;
}

export interface MailStore {
  /** Leases up to `most` due mails. The mails of a worker that dies become due again. */
  lease(most: number): Promise<MailRequest[]>;
  /** See issueToken. */
  issueToken(request: MailRequest, now: number): Promise<IssuedToken | undefined>;
  /**
   * Whether an earlier try of this request has left its token, and so may have sent its mail: the token of a try that
   * failed is withdrawn.
   */
  mayHaveSent(request: MailRequest, token: string): Promise<boolean>;
  /** See withdrawToken. */
  withdrawToken(token: string): Promise<void>;
  /**
   * Settles a mail that was sent or is not needed. A mail that was requested again in the meantime stays, due when the
   * lease ends.
   */
  settle(request: MailRequest): Promise<void>;
  /** Puts a mail off, unless it was requested again. */
  postpone(request: MailRequest, pauseMs: number): Promise<void>;
  /**
   * Puts this mail and the organization's other due mails off, each to a different time within an hour, so that the
   * mails of others need not wait behind them. It does not count as a try.
   */
  holdBack(request: MailRequest, organizationId: number): Promise<void>;
}

/**
 * Notes a request for a mail. It writes the same for known and unknown addresses, and for first and repeated requests:
 * neither the answer nor its time reveals anything.
 */
export async function requestMail(sql: Sql, purpose: TokenPurpose, email: string): Promise<void> {
  await once(
    sql`
    INSERT INTO mail_requests (purpose, email) VALUES (${purpose}, ${email})
    ON CONFLICT (purpose, lower(email)) DO UPDATE SET requested_at = excluded.requested_at`,
    'asking for a mail',
    LIMITS.fetchDeadlineMs,
  );
}

export function createMailStore(sql: Sql): MailStore {
  return {
    lease: (most) =>
      once(
        sql<MailRequest[]>`
        UPDATE mail_requests SET due_at = now() + ${LIMITS.mailLeaseMs} * interval '1 ms', attempts = attempts + 1
        WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM mail_requests WHERE due_at <= now() ORDER BY due_at LIMIT ${most} FOR UPDATE SKIP LOCKED))
        RETURNING purpose, email, requested_at, requested_at::text AS requested_exactly, attempts`,
        'looking for mails',
        LIMITS.fetchDeadlineMs,
      ),
    issueToken: ({ purpose, email }, now) => issueToken(sql, purpose, email, now),
    mayHaveSent: ({ purpose, requestedAt }, token) => isTokenRepeated(sql, token, purpose, Date.parse(requestedAt)),
    withdrawToken: (token) => withdrawToken(sql, token),
    async settle(request) {
      await once(
        sql`DELETE FROM mail_requests WHERE ${isThe(sql, request)}`,
        'settling a mail',
        LIMITS.fetchDeadlineMs,
      );
    },
    async postpone(request, pauseMs) {
      await once(
        sql`
        UPDATE mail_requests SET due_at = now() + ${pauseMs} * interval '1 ms'
        WHERE ${isThe(sql, request)}`,
        'postponing a mail',
        LIMITS.fetchDeadlineMs,
      );
    },
    async holdBack(request, organizationId) {
      // At different times, so that they never come back together; not before half of the hour is over.
      const later = sql`now() + (1 + random()) / 2 * ${LIMITS.liveTokenWindowMs} * interval '1 ms'`;
      await once(
        sql`
        UPDATE mail_requests SET due_at = ${later}, attempts = attempts - 1 WHERE ${isThe(sql, request)}`,
        'holding a mail back',
        LIMITS.fetchDeadlineMs,
      );
      await once(
        sql`
        UPDATE mail_requests SET due_at = ${later} WHERE ctid = ANY (ARRAY(
          SELECT m.ctid FROM mail_requests m JOIN users u ON lower(u.email) = lower(m.email)
          WHERE u.organization_id = ${organizationId} AND m.due_at <= now()
          LIMIT ${LIMITS.mailsHeldBackAtOnce} FOR UPDATE OF m SKIP LOCKED))`,
        'holding mails back',
        LIMITS.fetchDeadlineMs,
      );
    },
  };
}

function isThe(sql: Sql, { purpose, email, requestedExactly }: MailRequest): Fragment {
  return sql`
    purpose = ${purpose} AND lower(email) = lower(${email}) AND requested_at = ${requestedExactly}::timestamptz`;
}

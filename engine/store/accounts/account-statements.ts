import type { Origin } from '../../../schema/commands.ts';
import { isoTime } from '../../runtime/clock.ts';
import { hashSecret } from '../../runtime/secrets.ts';
import type { Fragment, Sql } from '../postgres.ts';

/**
 * The audit lines of the rows in `changes`, each by the user that it is about; part of the statement that changes them.
 */
export function noteOf(sql: Sql, action: string, { correlationId, address }: Origin, changes = 'changed'): Fragment {
  return sql`
    INSERT INTO audit_access (organization_id, action, record_type, record_id, actor_type, actor_id, correlation_id,
      address, before, after)
    SELECT organization_id, ${action}, record_type, record_id, 'user', user_id, ${correlationId}::uuid, ${address},
      before, after FROM ${sql(changes)}`;
}

/** A token as it is stored. */
export function hashed(sql: Sql, secret: string): Fragment {
  return sql`decode(${hashSecret(secret)}, 'hex')`;
}

/** A duration, as Postgres counts it. */
export function life(sql: Sql, durationMs: number): Fragment {
  return sql`(${durationMs / 1_000}::float8 * interval '1 second')`;
}

/** `durationMs` after `now`, as ISO 8601. */
export function inMs(now: number, durationMs: number): string {
  return isoTime(now + durationMs);
}

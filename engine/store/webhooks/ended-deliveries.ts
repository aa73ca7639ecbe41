import { LIMITS } from '../../../schema/limits.ts';
import type { Fragment, Sql } from '../postgres.ts';

/** Why a webhook's pending deliveries are not tried again. */
export const DISABLED = 'the webhook was disabled';
export const SWITCHED_OFF = 'the webhook was switched off';
export type EndReason = typeof DISABLED | typeof SWITCHED_OFF;

/** The attempts of a delivery that are kept: the last ones of `all`. */
export function lastAttempts(sql: Sql, all: Fragment): Fragment {
  return sql`jsonb_path_query_array(${all}, ${`$[last-${LIMITS.deliveryAttemptsKept - 1} to last]`}::text::jsonpath)`;
}

/** The last entry in the attempts of a pending delivery that ends: its reason, an SQL value. */
export function endingAttempt(sql: Sql, reason: Fragment): Fragment {
  return sql`jsonb_build_array(jsonb_build_object(
    'at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'status', NULL, 'error', ${reason},
    'excerpt', NULL, 'durationMs', 0))`;
}

/** The new values of a pending delivery `d` that ends; its reason is an SQL value. */
export function endedValues(sql: Sql, reason: Fragment): Fragment {
  const all = sql`d.attempts || ${endingAttempt(sql, reason)}`;
  return sql`state = 'failed', next_attempt_at = NULL, attempt = d.attempt + 1, attempts = ${lastAttempts(sql, all)}`;
}

/** Why nothing for the follower `f` is tried again: it is disabled, or its owner has switched the webhook off. Else null. */
export function endReasonOf(sql: Sql): Fragment {
  return sql`
    CASE WHEN f.disabled_at IS NOT NULL THEN ${DISABLED}::text WHEN EXISTS (
      SELECT FROM webhooks w WHERE w.organization_id = f.organization_id AND w.id = f.webhook_id AND NOT w.is_active)
    THEN ${SWITCHED_OFF}::text END`;
}

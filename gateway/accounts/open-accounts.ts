import { systemClock } from '../../engine/runtime/clock.ts';
import { requireUrl } from '../../engine/runtime/config.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Access, AccessOptions } from '../guards/open-access.ts';
import { LoginThrottle } from './login-throttle.ts';
import { createMailedTokens, type MailedTokens } from './mailed-tokens.ts';
import { createPasswordHasher, type PasswordHasher } from './password-hasher.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** Signing in, and what goes with it. */
export interface Accounts {
  readonly sessions: Sessions;
  readonly mailedTokens: MailedTokens;
  /** How long an access token lives. */
  readonly accessTokenSeconds: number;
  /** For other code that sets passwords: it bounds the hashing of the whole process. */
  readonly hasher: PasswordHasher;
}

export function openAccounts({ config, log, releaser }: AccessOptions, { settled }: Access): Accounts {
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch accounts',
    connections: LIMITS.accountConnections,
    statementTimeoutMs: LIMITS.fetchDeadlineMs,
  });
  releaser.push('account connections', () => sql.end({ timeout: 2 }));
  const clock = systemClock;
  const hasher = createPasswordHasher();
  const lives = { accessMs: config.accessTokenTtlSeconds * 1_000, refreshMs: LIMITS.refreshTokenMs };
  return {
    hasher,
    accessTokenSeconds: config.accessTokenTtlSeconds,
    sessions: createSessions({ sql, hasher, throttle: new LoginThrottle(clock), settled, lives, log }),
    // Requests for mail have buckets of their own: they are no failures of anybody's.
    mailedTokens: createMailedTokens({ sql, hasher, throttle: new LoginThrottle(clock), settled, clock }),
  };
}

import type { Log } from '../../engine/runtime/log.ts';
import type { Person } from '../../engine/store/accounts/caller-store.ts';
import {
  type Account,
  beginSession,
  endSessions,
  findAccount,
  newSessionTokens,
  refreshSession,
  type SessionTokens,
  type TokenLives,
} from '../../engine/store/accounts/session-store.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import type { LoginInput } from '../../schema/accounts/session.ts';
import type { Origin } from '../../schema/commands.ts';
import { type Refusal, refusal } from '../../schema/errors.ts';
import type { Access } from '../guards/open-access.ts';
import type { Identity } from '../route.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { PasswordHasher } from './password-hasher.ts';

export interface SessionParts {
  readonly sql: Sql;
  readonly hasher: PasswordHasher;
  readonly throttle: LoginThrottle;
  /** See Access. */
  readonly settled: Access['settled'];
  readonly lives: TokenLives;
  readonly log: Log;
}

/** A session that began or goes on. */
export interface SignedIn extends Person {
  readonly tokens: SessionTokens;
}

/** Users' sessions. Source: docs/contract.md §2. */
export interface Sessions {
  /**
   * An unknown account, one without a password, an inactive one and a wrong password look the same and take the same
   * time: 401. Only a client with the right password learns EMAIL_NOT_VERIFIED or ORGANIZATION_NOT_ACTIVE. RATE_LIMITED
   * after too many failures; rejects with a RefusalError when too many passwords wait.
   */
  login(input: LoginInput, origin: Origin): Promise<SignedIn | Refusal>;
  /** The next tokens; a refresh token that comes again after its grace ends its session. */
  refresh(refreshToken: string, origin: Origin): Promise<SignedIn | Refusal>;
  /** Ends the session that asks, or all of its user; resolves when no process serves them any more. */
  logout(identity: Identity, everywhere: boolean, origin: Origin): Promise<void>;
}

const UNAUTHORIZED = refusal('UNAUTHORIZED');

export function createSessions({ sql, hasher, throttle, settled, lives, log }: SessionParts): Sessions {
  async function judge({ email, password }: LoginInput, address: string | null): Promise<Account | undefined> {
    const account = await findAccount(sql, email);
    const passwordHash = account?.isActive ? (account.passwordHash ?? undefined) : undefined;
    return (await hasher.verify(password, passwordHash, address)) ? account : undefined;
  }

  return {
    async login(input, origin) {
      const attempt = throttle.draw(input.email, origin.address);
      if ('retryAfterSeconds' in attempt) return refusal('RATE_LIMITED', undefined, attempt);
      let isFailure = false;
      try {
        const account = await judge(input, origin.address);
        isFailure = account === undefined;
        if (!account) return UNAUTHORIZED;
        if (!account.isVerified) return refusal('EMAIL_NOT_VERIFIED');
        if (account.organizationStatus !== 'active') return refusal('ORGANIZATION_NOT_ACTIVE');
        const tokens = newSessionTokens();
        const person = await beginSession(sql, account, tokens, lives, origin);
        return person ? { tokens, ...person } : UNAUTHORIZED;
      } finally {
        if (!isFailure) attempt.forgive();
      }
    },

    async refresh(refreshToken, origin) {
      const tokens = newSessionTokens(refreshToken);
      const refreshed = await refreshSession(sql, refreshToken, tokens, lives, origin);
      if (!refreshed) return UNAUTHORIZED;
      const { organizationId, sessionId, outcome, person, organization } = refreshed;
      const facts = { organizationId, sessionId, ...origin };
      switch (outcome) {
        case 'reused':
          log.warn(facts, 'a refresh token was used again: its session has been ended');
          await settled();
          return UNAUTHORIZED;
        case 'user_inactive':
          return UNAUTHORIZED;
        case 'organization_inactive':
          return refusal('ORGANIZATION_NOT_ACTIVE');
        case 'repeated':
          log.info(facts, 'a refresh token came again within the grace: its session has one more pair of tokens');
          return { tokens, person, organization };
        case 'refreshed':
          return { tokens, person, organization };
      }
    },

    async logout({ organizationId, caller, sessionId }, everywhere, origin) {
      await endSessions(
        sql,
        organizationId,
        caller.userId!,
        everywhere ? 'everywhere' : { sessionId: sessionId! },
        origin,
      );
      await settled();
    },
  };
}

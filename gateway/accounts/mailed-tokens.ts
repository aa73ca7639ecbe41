import type { Clock } from '../../engine/runtime/clock.ts';
import { requestMail } from '../../engine/store/accounts/mail-store.ts';
import { endSessions } from '../../engine/store/accounts/session-store.ts';
import {
  findTokenHolder,
  resetPassword,
  type TokenHolder,
  verifyEmail,
} from '../../engine/store/accounts/user-token-store.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import { type CompleteResetInput, PASSWORD_PURPOSES, type TokenPurpose } from '../../schema/accounts/session.ts';
import type { Origin } from '../../schema/commands.ts';
import { type Refusal, refusal } from '../../schema/errors.ts';
import type { Access } from '../guards/open-access.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { PasswordHasher } from './password-hasher.ts';

export interface MailedTokenParts {
  readonly sql: Sql;
  readonly hasher: PasswordHasher;
  readonly throttle: LoginThrottle;
  /** See Access. */
  readonly settled: Access['settled'];
  readonly clock: Clock;
}

/** The proofs that users give by mailed tokens. Each resolves to a refusal, or to nothing when it is done. */
export interface MailedTokens {
  /** Does the same for every address, known or not; RATE_LIMITED after too many. */
  request(purpose: TokenPurpose, email: string, origin: Origin): Promise<Refusal | undefined>;
  /**
   * TOKEN_INVALID for one that is unknown, spent or expired, or whose user is inactive. Resolves when no process refuses the user any more for an
   * address that is not proved.
   */
  verify(token: string, origin: Origin): Promise<Refusal | undefined>;
  /** The user whose address, or whose password, a token is for; it stays good. Undefined where TOKEN_INVALID is. */
  find(kind: 'address' | 'password', token: string): Promise<TokenHolder | undefined>;
  /**
   * The same as `verify` for a password; ends the user's sessions and resolves when no process serves them any more. Rejects with a
   * RefusalError, the token still good, when too many passwords wait.
   */
  reset(input: CompleteResetInput, origin: Origin): Promise<Refusal | undefined>;
}

const TOKEN_INVALID = refusal('TOKEN_INVALID');

export function createMailedTokens({ sql, hasher, throttle, settled, clock }: MailedTokenParts): MailedTokens {
  return {
    async request(purpose, email, { address }) {
      const attempt = throttle.draw(email, address);
      if ('retryAfterSeconds' in attempt) return refusal('RATE_LIMITED', undefined, attempt);
      await requestMail(sql, purpose, email);
      return undefined;
    },

    async verify(token, origin) {
      if (!(await verifyEmail(sql, token, clock.now(), origin))) return TOKEN_INVALID;
      await settled();
      return undefined;
    },

    find: (kind, token) =>
      findTokenHolder(sql, token, kind === 'address' ? ['verify_email'] : PASSWORD_PURPOSES, clock.now()),

    async reset({ token, password }, origin) {
      // Nobody makes work for the hasher without a token.
      if (!(await findTokenHolder(sql, token, PASSWORD_PURPOSES, clock.now()))) return TOKEN_INVALID;
      const passwordHash = await hasher.hash(password, origin.address);
      const owner = await resetPassword(sql, token, passwordHash, clock.now(), origin);
      if (!owner) return TOKEN_INVALID;
      // A login with the old password may have been half way: the first statement did not see its session.
      await endSessions(sql, owner.organizationId, owner.userId, 'everywhere', origin);
      await settled();
      return undefined;
    },
  };
}

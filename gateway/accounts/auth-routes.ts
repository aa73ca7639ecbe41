import * as v from 'valibot';
import type { SessionTokens } from '../../engine/store/accounts/session-store.ts';
import {
  completeResetInput,
  loginInput,
  logoutQuery,
  mailInput,
  refreshInput,
  type TokenPurpose,
  tokensView,
  verifyEmailInput,
} from '../../schema/accounts/session.ts';
import type { Refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ApiRoute, apiRoute, type RouteAnswer } from '../route.ts';
import type { Accounts } from './open-accounts.ts';

/** Signing in, and what goes with it. Source: docs/contract.md §2. */
export function authRoutes(accounts: Accounts): ApiRoute[] {
  return [
    login(accounts),
    refresh(accounts),
    logout(accounts),
    verifyEmail(accounts),
    requestMail(accounts, 'verify_email', '/auth/resend-verification', 'Ask for another mail to verify an address'),
    requestMail(accounts, 'reset_password', '/auth/password-reset/request', 'Ask for a mail to reset a password'),
    completeReset(accounts),
  ];
}

const NOTHING = v.object({});

function login({ sessions }: Accounts): ApiRoute {
  return apiRoute({
    ...publicPost('/auth/login', loginInput),
    summary: 'Sign in; `expiresIn` counts seconds',
    success: { status: 200, data: tokensView },
    refusals: ['401 Unauthorized', '403 EMAIL_NOT_VERIFIED', '403 ORGANIZATION_NOT_ACTIVE'],
    handle: ({ body, origin }) => answerWith('Signed in', () => sessions.login(body, origin)),
  });
}

function refresh({ sessions }: Accounts): ApiRoute {
  return apiRoute({
    ...publicPost('/auth/refresh', refreshInput),
    summary: 'Go on with a session; a refresh token works once, and used again it ends the session',
    success: { status: 200, data: tokensView },
    refusals: ['401 Unauthorized', '403 ORGANIZATION_NOT_ACTIVE'],
    handle: ({ body, origin }) => answerWith('Refreshed', () => sessions.refresh(body.refreshToken, origin)),
  });
}

function logout({ sessions }: Accounts): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/auth/logout',
    guard: { kind: 'session' },
    keepsNothing: true,
    query: { schema: logoutQuery, lists: new Set() },
    summary: 'Sign out; with `everywhere=true` of all sessions',
    success: { status: 200, data: NOTHING },
    refusals: [],
    handle: ({ identity, query, origin }) =>
      answerWith('Signed out', async () => {
        await sessions.logout(identity, query.everywhere === true, origin);
        return undefined;
      }),
  });
}

function verifyEmail({ mailedTokens }: Accounts): ApiRoute {
  return apiRoute({
    ...publicPost('/auth/verify-email', verifyEmailInput),
    bare: true,
    summary: 'Prove an e-mail address by the token that was mailed to it',
    success: { status: 200, data: NOTHING },
    refusals: ['400 TOKEN_INVALID'],
    handle: ({ body, origin }) => answerWith('E-mail address verified', () => mailedTokens.verify(body.token, origin)),
  });
}

function requestMail({ mailedTokens }: Accounts, purpose: TokenPurpose, path: string, summary: string): ApiRoute {
  return apiRoute({
    ...publicPost(path, mailInput),
    bare: true,
    summary: `${summary}; the answer is the same for every address`,
    success: { status: 202, data: NOTHING },
    refusals: [],
    handle: ({ body, origin }) => answerWith('Accepted', () => mailedTokens.request(purpose, body.email, origin), 202),
  });
}

function completeReset({ mailedTokens }: Accounts): ApiRoute {
  return apiRoute({
    ...publicPost('/auth/password-reset/complete', completeResetInput),
    bare: true,
    summary: 'Set a password by the token that was mailed; ends all sessions of the user',
    success: { status: 200, data: NOTHING },
    refusals: ['400 TOKEN_INVALID'],
    handle: ({ body, origin }) => answerWith('Password changed', () => mailedTokens.reset(body, origin)),
  });
}

/** The common part of all routes but logout. No answer is kept: it may hold tokens. */
function publicPost<Path extends string, Body>(path: Path, schema: v.GenericSchema<unknown, Body>) {
  return {
    method: 'POST',
    path,
    guard: { kind: 'public' },
    keepsNothing: true,
    body: { schema, maxBytes: LIMITS.bodyBytes },
  } as const;
}

async function answerWith(
  message: string,
  work: () => Promise<SessionTokens | Refusal | undefined>,
  status = 200,
): Promise<RouteAnswer> {
  const result = await work();
  if (result && 'code' in result) return { refusal: result };
  const expiresIn = LIMITS.accessTokenMs / 1_000;
  return { status, message, data: JSON.stringify(result ? { ...result, expiresIn } : {}) };
}

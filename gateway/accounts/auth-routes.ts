import type * as v from 'valibot';
import { encodeSignedIn } from '../../engine/views/caller-view.ts';
import { signedInView } from '../../schema/accounts/caller.ts';
import {
  completeResetInput,
  loginInput,
  logoutQuery,
  mailInput,
  refreshInput,
  type TokenPurpose,
  verifyEmailInput,
} from '../../schema/accounts/session.ts';
import type { Refusal } from '../../schema/errors.ts';
import { nothingView } from '../../schema/fields/shown-fields.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Reads } from '../reads.ts';
import { type ApiRoute, apiRoute, type RouteAnswer } from '../route.ts';
import { meRoute } from './me-route.ts';
import type { Accounts } from './open-accounts.ts';
import type { SignedIn } from './sessions.ts';

/** Signing in, and what goes with it. Source: docs/contract.md §2. */
export function authRoutes(accounts: Accounts, reads: Reads, history: string): ApiRoute[] {
  return [
    login(accounts),
    refresh(accounts),
    logout(accounts),
    meRoute(reads, history),
    verifyEmail(accounts),
    requestMail(accounts, 'verify_email', '/auth/resend-verification', 'Ask for another mail to verify an address'),
    requestMail(accounts, 'reset_password', '/auth/password-reset/request', 'Ask for a mail to reset a password'),
    completeReset(accounts),
  ];
}

function login({ sessions, accessTokenSeconds }: Accounts): ApiRoute {
  return apiRoute({
    ...publicPost('/auth/login', loginInput),
    summary: 'Sign in; `expiresIn` counts seconds',
    success: { status: 200, data: signedInView },
    refusals: ['401 Unauthorized', '403 EMAIL_NOT_VERIFIED', '403 ORGANIZATION_NOT_ACTIVE'],
    handle: async ({ body, origin }) => signedIn('Signed in', accessTokenSeconds, await sessions.login(body, origin)),
  });
}

function refresh({ sessions, accessTokenSeconds }: Accounts): ApiRoute {
  return apiRoute({
    ...publicPost('/auth/refresh', refreshInput),
    summary:
      'Go on with a session: a refresh token works once, and again for a minute while its successor is unused; later it ' +
      'ends the session',
    success: { status: 200, data: signedInView },
    refusals: ['401 Unauthorized', '403 ORGANIZATION_NOT_ACTIVE'],
    handle: async ({ body, origin }) =>
      signedIn('Refreshed', accessTokenSeconds, await sessions.refresh(body.refreshToken, origin)),
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
    success: { status: 200, data: nothingView },
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
    success: { status: 200, data: nothingView },
    refusals: ['400 TOKEN_INVALID'],
    handle: ({ body, origin }) => answerWith('E-mail address verified', () => mailedTokens.verify(body.token, origin)),
  });
}

function requestMail({ mailedTokens }: Accounts, purpose: TokenPurpose, path: string, summary: string): ApiRoute {
  return apiRoute({
    ...publicPost(path, mailInput),
    bare: true,
    summary: `${summary}; the answer is the same for every address`,
    success: { status: 202, data: nothingView },
    refusals: [],
    handle: ({ body, origin }) => answerWith('Accepted', () => mailedTokens.request(purpose, body.email, origin), 202),
  });
}

function completeReset({ mailedTokens }: Accounts): ApiRoute {
  return apiRoute({
    ...publicPost('/auth/password-reset/complete', completeResetInput),
    bare: true,
    summary: 'Set a password by the token that was mailed; ends all sessions of the user',
    success: { status: 200, data: nothingView },
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

function signedIn(message: string, expiresIn: number, result: SignedIn | Refusal): RouteAnswer {
  if ('code' in result) return { refusal: result };
  const { tokens, person: user, organization } = result;
  return { status: 200, message, data: encodeSignedIn({ ...tokens, expiresIn, user, organization }) };
}

async function answerWith(
  message: string,
  work: () => Promise<Refusal | undefined>,
  status = 200,
): Promise<RouteAnswer> {
  const refused = await work();
  return refused ? { refusal: refused } : { status, message, data: '{}' };
}

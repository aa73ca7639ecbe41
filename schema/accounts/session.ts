import * as v from 'valibot';
import { email, queryFlag, requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { givenPassword, newPassword } from '../fields/new-password.ts';
import { shownInteger } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

const token = requiredText(LIMITS.shortTextChars);
const BODY = 'the body must be an object';

/** The body of POST /auth/login. */
export const loginInput = named('LoginInput', v.object({ email, password: givenPassword }, BODY));
export type LoginInput = v.InferOutput<typeof loginInput>;

export const refreshInput = named('RefreshInput', v.object({ refreshToken: token }, BODY));

/** `everywhere`: all sessions of the user, not only the one that asks. */
export const logoutQuery = v.object({
  everywhere: v.optional(queryFlag),
});

export const verifyEmailInput = named('VerifyEmailInput', v.object({ token }, BODY));

/** The body of both requests for a mail: a new verification, and a password reset. */
export const mailInput = named('MailInput', v.object({ email }, BODY));

export const completeResetInput = named('CompletePasswordResetInput', v.object({ token, password: newPassword }, BODY));
export type CompleteResetInput = v.InferOutput<typeof completeResetInput>;

/** `expiresIn`: seconds that the access token is good for. */
export const tokensView = v.object({ accessToken: v.string(), refreshToken: v.string(), expiresIn: shownInteger });

/** The use of a mailed token; with `welcome` a new user sets the first password. */
export type TokenPurpose = 'verify_email' | 'reset_password' | 'welcome';

/** Tokens that set a password: mailed ones, and the one of an invitation that was handed over. */
export const PASSWORD_PURPOSES = ['reset_password', 'welcome', 'invitation'] as const;

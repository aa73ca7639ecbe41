import type { TokenPurpose } from '../../schema/accounts/session.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

const WORDS: Readonly<
  Record<TokenPurpose, { subject: string; wish: string; within: string; path: string; fields: string }>
> = {
  verify_email: {
    subject: 'Verify your e-mail address',
    wish: 'verify this e-mail address',
    within: '24 hours',
    path: '/api/v1/auth/verify-email',
    fields: '{"token": "..."}',
  },
  reset_password: {
    subject: 'Reset your password',
    wish: 'set a new password for your account',
    within: 'one hour',
    path: '/api/v1/auth/password-reset/complete',
    fields: '{"token": "...", "password": "..."}',
  },
};

/** ASCII in lines of less than 77, which no transport encodes, and nothing that anybody typed; the token has its own. */
export function mailText(purpose: TokenPurpose, token: string): MailText {
  const { subject, wish, within, path, fields } = WORDS[purpose];
  const text = [
    `Somebody, you we hope, asked to ${wish}.`,
    `Within ${within} this token does so once:`,
    '',
    token,
    '',
    `Send it to POST ${path}`,
    `as ${fields}`,
    '',
    'If it was not you, you need do nothing. Of several mails like this one any',
    'will do; once one is used the others are void.',
    '',
  ].join('\n');
  return { subject, text };
}

import { html } from '../../engine/views/parts/html.ts';
import type { Letterhead } from '../../schema/accounts/letterhead.ts';
import type { TokenPurpose } from '../../schema/accounts/session.ts';
import { LIMITS } from '../../schema/limits.ts';
import { mailPage } from './mail-page.ts';
import { namePart, senderLinesOf } from './mail-sender-lines.ts';
import type { MailText } from './mail-transport.ts';
import { cut, isolated } from './one-line.ts';

/** The user that a mail is for, and the token that it brings. */
export interface AccountMailFacts {
  readonly firstName: string;
  /** Undefined for a super admin. */
  readonly letterhead: Letterhead | undefined;
  readonly token: string;
  /** See publicUrlOf. */
  readonly publicUrl: string;
}

interface MailWords {
  readonly subject: string;
  readonly path: string;
  readonly wish: string;
  /** The label of the link. */
  readonly link: string;
  readonly within: string;
}

/** `{sender}` stands for the organization. */
const WORDS: Readonly<Record<TokenPurpose, MailWords>> = {
  verify_email: {
    subject: 'Confirm your e-mail address',
    path: '/account/verify',
    wish: 'Please confirm that this is the address of your account with {sender}.',
    link: 'Confirm address',
    within: 'The link works once, within 24 hours. If you did not expect this mail, ignore it.',
  },
  reset_password: {
    subject: 'Choose a new password',
    path: '/account/reset',
    wish: 'Somebody, you we hope, asked for a new password for your account with {sender}.',
    link: 'Choose a new password',
    within: 'The link works once, within one hour. If it was not you, ignore this mail: your password stays as it is.',
  },
  welcome: {
    subject: 'Welcome to {sender}: choose your password',
    path: '/account/welcome',
    wish: '{sender} has made an account for you. Choose a password, and you can sign in.',
    link: 'Choose your password',
    within: 'The link works once, within 24 hours. If you did not expect this mail, ignore it.',
  },
};

const PLATFORM: Letterhead = { name: 'Last-mile dispatch', timeZone: 'UTC', contact: { phone: null, email: null } };

/** A mail with the one link that a user needs. Names in it stay texts, with any content. */
export function accountMailOf(purpose: TokenPurpose, facts: AccountMailFacts): MailText & { readonly html: string } {
  const { token, publicUrl, letterhead = PLATFORM } = facts;
  const words = WORDS[purpose];
  const sender = senderLinesOf(letterhead);
  const [before = '', after] = words.wish.split('{sender}');
  const subject = cut(
    words.subject.replace('{sender}', () => isolated(sender.name)),
    LIMITS.mailSubjectChars,
  );
  const name = namePart(facts.firstName);
  const url = `${publicUrl}${words.path}?token=${token}`;
  return {
    subject,
    text: [
      name === '' ? 'Hello,' : `Hello ${isolated(name)},`,
      `${before}${isolated(sender.name)}${after}`,
      `${words.link}:\n${url}`,
      words.within,
      `${FOOTER} ${isolated(sender.name)}${sender.ways}.\n`,
    ].join('\n\n'),
    html: mailPage({
      title: subject,
      sender: sender.name,
      paragraphs: [
        name === '' ? html`Hello,` : html`Hello <span dir="auto">${name}</span>,`,
        html`${before}<span dir="auto">${sender.name}</span>${after}`,
      ],
      details: [],
      link: { url, text: words.link },
      footer: html`${words.within}<br><br>${FOOTER} <span dir="auto">${sender.name}</span>${sender.ways}.`,
    }).toString(),
  };
}

const FOOTER = 'Answers to this mail are not read; please turn to';

import type { TokenHolder } from '../../engine/store/accounts/user-token-store.ts';
import { directedText } from '../../engine/views/parts/directed-text.ts';
import { type Html, html, type Piece } from '../../engine/views/parts/html.ts';
import { LIMITS } from '../../schema/limits.ts';
import { screenOf } from '../pages/screen.ts';

export const ACCOUNT_SCREEN = screenOf({ sources: { 'form-action': "'self'" } });

/** The pages that mailed links lead to. */
export type AccountPage = 'verify' | 'reset' | 'welcome';

interface PageWords {
  /** Above the form that spends a token. */
  readonly title: string;
  readonly button: string;
  /** Above the form that asks for a mail. */
  readonly askTitle: string;
  /** How long its links work. */
  readonly life: string;
}

const WORDS: Readonly<Record<AccountPage, PageWords>> = {
  verify: {
    title: 'Confirm your e-mail address',
    button: 'Confirm address',
    askTitle: 'Get a new link',
    life: '24 hours',
  },
  reset: {
    title: 'Choose a new password',
    button: 'Save password',
    askTitle: 'Forgot your password?',
    life: 'one hour',
  },
  welcome: {
    title: 'Choose your password',
    button: 'Save password',
    askTitle: 'Get a new link',
    life: '24 hours',
  },
};

/** The form behind a link that works. Opening it spends nothing; sending it does. */
export function tokenPage(page: AccountPage, token: string, holder: TokenHolder, problem?: string): string {
  const { letterhead, email, firstName } = holder;
  const { title, button } = WORDS[page];
  const welcome = page === 'welcome' && firstName !== '' && html`Welcome, <bdi>${directedText(firstName)}</bdi>. `;
  const account = page === 'verify' ? 'This is the address of your account:' : 'You sign in with';
  const main = html`<article class="note"><h1>${title}</h1>
<p>${welcome}${account} <bdi dir="ltr">${email}</bdi></p>
<form method="post" action="${page}">
<input type="hidden" name="token" value="${token}">
${page !== 'verify' && passwordFields(email, problem)}
<button>${button}</button></form></article>`;
  return ACCOUNT_SCREEN.page({ title, letterhead, main });
}

/** The hidden address tells password managers whose password it is. */
function passwordFields(email: string, problem: string | undefined): Html {
  const { passwordMinChars: least, passwordMaxChars: most } = LIMITS;
  const field = (name: string, label: string, isFirst: boolean) => html`<label for="${name}">${label}</label>
<input class="field" id="${name}" name="${name}" type="password" autocomplete="new-password" required minlength="${least}" maxlength="${most}"${
    isFirst && html` aria-describedby="${problem === undefined ? 'rule' : 'problem'}"`
  }${isFirst && problem !== undefined && html` aria-invalid="true" autofocus`}>`;
  return html`<input class="hidden" type="email" name="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${problem !== undefined && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
${field('password', 'New password', true)}
<p class="rule" id="rule">At least ${least} characters. A few words are easy to remember.</p>
${field('again', 'The same once more', false)}`;
}

/** The form that asks for a mail with a link. */
export function askPage(page: AccountPage, problem?: string): string {
  const { askTitle: title, life } = WORDS[page];
  return ACCOUNT_SCREEN.note({
    title,
    text: `Enter your e-mail address. If there is an account with it, a mail with a link arrives within a few minutes. The link works once, for ${page === 'welcome' ? WORDS.reset.life : life}.`,
    actions: askForm(page, problem),
  });
}

/** The way on from a link that is unknown, used or too old, or whose user is inactive. They look alike. */
export function deadLinkPage(page: AccountPage): string {
  const { life } = WORDS[page];
  const used: Readonly<Record<AccountPage, Piece>> = {
    verify: 'If you have used it already, your address is confirmed and you can sign in.',
    reset: 'If you have used it already, sign in with your new password.',
    welcome: 'If you have used it already, sign in with the password that you chose.',
  };
  return ACCOUNT_SCREEN.note({
    title: 'This link does not work any more',
    text: html`A link works once, for ${life}. ${used[page]} Otherwise get a new one:`,
    actions: askForm(page),
  });
}

function askForm(page: AccountPage, problem?: string): Html {
  const invalid = problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`;
  return html`<form method="post" action="${page}">
${problem !== undefined && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<label for="email">E-mail address</label>
<input class="field" id="email" name="email" type="email" autocomplete="username" inputmode="email" required maxlength="${LIMITS.emailChars}"${invalid}>
<button>Send me a link</button></form>`;
}

/** The same for every address, with an account or without. */
export const ASKED_PAGE = ACCOUNT_SCREEN.note({
  title: 'Check your mail',
  text: 'If there is an account with this address, a mail with a link is on its way. If nothing arrives, look into the spam folder, or ask your administrator.',
});

/** The page after a token was spent: the change that it made, and the next step. */
export function donePage(page: AccountPage, { letterhead, email, isOrganizationActive }: TokenHolder): string {
  const isVerified = page === 'verify';
  const when = isOrganizationActive
    ? 'You can sign in now,'
    : 'Your organization is not active at present, so nobody can sign in to it. Once it is active, sign in';
  return ACCOUNT_SCREEN.note({
    title: isVerified ? 'Your address is confirmed' : 'Your password is saved',
    text: html`${when} with <bdi dir="ltr">${email}</bdi>${!isVerified && ' and your new password'}. You can close this page.`,
    actions: isVerified && html`<p>No password yet? <a href="reset">Choose one</a>.</p>`,
    letterhead,
  });
}

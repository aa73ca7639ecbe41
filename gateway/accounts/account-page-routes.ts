import * as v from 'valibot';
import { mailInput } from '../../schema/accounts/session.ts';
import type { Refusal } from '../../schema/errors.ts';
import { newPassword } from '../../schema/fields/new-password.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Reply } from '../http/port.ts';
import { RefusalError } from '../refusal-error.ts';
import { FORM_MEDIA, type ParsedRequest, type RawRoute, rawRoute } from '../route.ts';
import {
  ACCOUNT_SCREEN,
  type AccountPage,
  ASKED_PAGE,
  askPage,
  deadLinkPage,
  donePage,
  tokenPage,
} from './account-pages.ts';
import type { MailedTokens } from './mailed-tokens.ts';
import type { Accounts } from './open-accounts.ts';

/** The pages that mailed links lead to: plain forms, without a script. Source: docs/contract.md §2. */
export function accountPageRoutes({ mailedTokens }: Pick<Accounts, 'mailedTokens'>): RawRoute[] {
  return [
    ...pageRoutes(mailedTokens, 'verify', 'to verify an e-mail address'),
    ...pageRoutes(mailedTokens, 'reset', 'to choose a new password'),
    ...pageRoutes(mailedTokens, 'welcome', 'for a new user, to choose the first password'),
  ];
}

const PAGE = { place: 'root', guard: { kind: 'public' }, answers: 'text/html' } as const;
const tokenQuery = v.object({ token: v.optional(v.string()) });

function pageRoutes(mailedTokens: MailedTokens, page: AccountPage, purpose: string): RawRoute[] {
  const path = `/account/${page}`;
  return [
    rawRoute({
      ...PAGE,
      method: 'GET',
      path,
      query: { schema: tokenQuery, lists: new Set() },
      summary: `The page of a mailed link ${purpose}; without \`token\` the form that asks for a link. It spends nothing`,
      refusals: ['400 A page that says so', '503 A page that says so'],
      handle: (request, reply) =>
        ACCOUNT_SCREEN.answering(request, reply, () => open(mailedTokens, page, request, reply)),
    }),
    rawRoute({
      ...PAGE,
      method: 'POST',
      path,
      body: { maxBytes: LIMITS.accountFormBytes, media: FORM_MEDIA },
      summary: `The forms of that page: with \`token\` it acts, with \`email\` alone it asks for a mail`,
      refusals: ['400', '429', '503'].map((status) => `${status} A page that says so`),
      handle: (request, reply) =>
        ACCOUNT_SCREEN.answering(request, reply, () => act(mailedTokens, page, request, reply)),
    }),
  ];
}

type PageRequest = ParsedRequest<unknown, { readonly token?: string | undefined }>;

async function open(mailedTokens: MailedTokens, page: AccountPage, request: PageRequest, reply: Reply): Promise<void> {
  const { token } = request.query;
  if (!token) return show(request, reply, 200, askPage(page));
  const holder = await mailedTokens.find(kindOf(page), token);
  if (!holder) return show(request, reply, 400, deadLinkPage(page));
  show(request, reply, 200, tokenPage(page, token, holder));
}

async function act(
  mailedTokens: MailedTokens,
  page: AccountPage,
  request: ParsedRequest<unknown, unknown, Buffer>,
  reply: Reply,
): Promise<void> {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const token = form.get('token');
  if (token === null) return ask(mailedTokens, page, form.get('email') ?? '', request, reply);
  const holder = await mailedTokens.find(kindOf(page), token);
  if (!holder) return show(request, reply, 400, deadLinkPage(page));
  const password = form.get('password') ?? '';
  const problem = page === 'verify' ? undefined : problemOf(password, form.get('again'));
  if (problem !== undefined) return show(request, reply, 400, tokenPage(page, token, holder, problem));
  const refused =
    page === 'verify'
      ? await mailedTokens.verify(token, request.origin)
      : await mailedTokens.reset({ token, password }, request.origin);
  if (refused?.code === 'TOKEN_INVALID') return show(request, reply, 400, deadLinkPage(page));
  throwIf(refused);
  show(request, reply, 200, donePage(page, holder));
}

async function ask(
  mailedTokens: MailedTokens,
  page: AccountPage,
  email: string,
  request: ParsedRequest<unknown, unknown, Buffer>,
  reply: Reply,
): Promise<void> {
  const input = v.safeParse(mailInput, { email: email.trim() });
  if (!input.success) return show(request, reply, 400, askPage(page, 'Enter an address such as ada@example.com.'));
  // A user without a password gets the first one by the link of a reset.
  const purpose = page === 'verify' ? 'verify_email' : 'reset_password';
  throwIf(await mailedTokens.request(purpose, input.output.email, request.origin));
  show(request, reply, 200, ASKED_PAGE);
}

function kindOf(page: AccountPage): 'address' | 'password' {
  return page === 'verify' ? 'address' : 'password';
}

function problemOf(password: string, again: string | null): string | undefined {
  const parsed = v.safeParse(newPassword, password);
  if (!parsed.success) return `The password ${parsed.issues[0].message}.`;
  return password === again ? undefined : 'The two passwords are not the same. Enter them again.';
}

function throwIf(refused: Refusal | undefined): void {
  if (refused) throw new RefusalError(refused);
}

function show(request: Pick<ParsedRequest, 'replyHeaders'>, reply: Reply, status: number, page: string): void {
  ACCOUNT_SCREEN.send(request, reply, { status, page });
}

import { isStoreAway } from '../../engine/store/postgres.ts';
import { directedText } from '../../engine/views/parts/directed-text.ts';
import { type Html, html, type Piece } from '../../engine/views/parts/html.ts';
import type { Letterhead } from '../../schema/accounts/letterhead.ts';
import { ERRORS, type Refusal, refusal } from '../../schema/errors.ts';
import { parsePhone } from '../../schema/fields/phone.ts';
import type { Header, Headers, Reply } from '../http/port.ts';
import { RefusalError } from '../refusal-error.ts';
import type { ParsedRequest } from '../route.ts';
import { pageKind } from './page-kind.ts';
import { PAGE_STYLE } from './page-style.ts';

export interface ScreenParts {
  /** The style of what only these pages have. */
  readonly style?: string;
  readonly script?: string;
  /** See PageParts. */
  readonly sources?: Readonly<Record<string, string>>;
}

export interface ScreenContent {
  readonly title: string;
  /** Whose page it is. */
  readonly letterhead?: Letterhead | undefined;
  readonly main: Html;
  readonly reloadSeconds?: number | undefined;
}

/** A page of one matter: a title, what there is to say, and what there is to do. */
export interface Note {
  readonly title: string;
  readonly text: Piece;
  readonly actions?: Piece;
  readonly letterhead?: Letterhead | undefined;
  readonly reloadSeconds?: number | undefined;
}

/** Pages for people on a screen, of any size, in the common look. */
export interface Screen {
  readonly headers: readonly Header[];
  page(content: ScreenContent): string;
  note(note: Note): string;
  /** Sends a page, unless the client has left. */
  send(request: Pick<ParsedRequest, 'replyHeaders'>, reply: Reply, answer: ScreenAnswer): void;
  /** Does the work, and says in a page when it is refused or a store is away. */
  answering(request: ParsedRequest, reply: Reply, work: () => Promise<void>): Promise<void>;
}

export interface ScreenAnswer {
  readonly status?: number;
  readonly page: string;
  readonly headers?: Headers;
}

export function screenOf({ style = '', ...parts }: ScreenParts): Screen {
  const kind = pageKind({ ...parts, style: PAGE_STYLE + style });

  function page({ letterhead, main, ...content }: ScreenContent): string {
    const body = html`${letterhead && headerOf(letterhead)}
<main>${main}</main>`;
    return kind.document({ ...content, body });
  }

  const note = ({ title, text, actions, ...rest }: Note) => {
    const main = html`<article class="note"><h1>${title}</h1><p>${text}</p>${actions}</article>`;
    return page({ title, main, ...rest });
  };

  const send: Screen['send'] = ({ replyHeaders }, reply, { status = 200, page: document, headers = [] }) => {
    if (!reply.done) reply.send(status, [...kind.headers, ...headers, ...replyHeaders], document);
  };

  function sendRefusal(request: ParsedRequest, reply: Reply, { code, details }: Refusal): void {
    const seconds = `${details?.['retryAfterSeconds'] ?? 1}`;
    const { status } = ERRORS[code];
    send(request, reply, { status, page: NOT_NOW, headers: [['Retry-After', seconds]] });
  }

  const NOT_NOW = note({ title: 'Not now', text: 'Please try again in a moment.' });
  return {
    headers: kind.headers,
    page,
    note,
    send,
    async answering(request, reply, work) {
      try {
        await work();
      } catch (error) {
        if (error instanceof RefusalError) sendRefusal(request, reply, error.refusal);
        else if (isStoreAway(error)) sendRefusal(request, reply, refusal('UNAVAILABLE'));
        else throw error;
      }
    },
  };
}

/** Whose page it is, and whom to turn to. */
function headerOf({ name, contact }: Letterhead): Html {
  const { phone, email } = contact;
  const ways = [
    phone !== null && html`<a href="tel:${parsePhone(phone)?.e164 ?? ''}" dir="ltr">${phone}</a>`,
    email !== null && html`<a href="mailto:${encodeURIComponent(email)}" dir="ltr">${email}</a>`,
  ].filter((way) => way !== false);
  return html`<header><p><bdi>${directedText(name)}</bdi></p>${ways.length > 0 && html`<p class="contact">${ways}</p>`}</header>`;
}

/** A link that looks like a button. `href` is an address of ours, relative: a proxy may have taken off a path before it. */
export function buttonLink(href: string, label: string): Html {
  return html`<p><a class="button" href="${href}">${label}</a></p>`;
}

/** Leads the browser on. The way is not kept, and no other site learns where it came from. */
export function leadOn({ replyHeaders }: Pick<ParsedRequest, 'replyHeaders'>, reply: Reply, location: string): void {
  const headers = [
    ['Location', location],
    ['Cache-Control', 'no-store'],
    ['Referrer-Policy', 'no-referrer'],
  ] as const;
  if (!reply.done) reply.send(303, [...headers, ...replyHeaders], '');
}

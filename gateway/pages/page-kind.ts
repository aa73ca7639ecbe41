import { createHash } from 'node:crypto';
import { type Html, html, trusted } from '../../engine/views/parts/html.ts';
import type { Header } from '../http/port.ts';

/** The parts of a page that may take effect, each to the letter. A browser refuses anything else. */
export interface PageParts {
  readonly style: string;
  readonly script?: string;
  /** Directives for what the page loads and sends, of its own origin or of others: `img-src`, `connect-src`, `form-action`. */
  readonly sources?: Readonly<Record<string, string>>;
}

export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** Loads itself again after so many seconds. */
  readonly reloadSeconds?: number | undefined;
}

/** Pages of one style and script. The headers allow what the document holds and nothing else, so they belong together. */
export interface PageKind {
  readonly headers: readonly Header[];
  document(content: PageContent): string;
}

export function pageKind(parts: PageParts): PageKind {
  const style = trusted(`<style>${parts.style}</style>`);
  const script = parts.script === undefined ? null : trusted(`<script>${parts.script}</script>`);
  return {
    headers: headersOf(parts),
    document: ({ title, body, reloadSeconds }) =>
      html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">${
        reloadSeconds !== undefined && html`<meta http-equiv="refresh" content="${reloadSeconds}">`
      }
<title>${title}</title>${style}</head>
<body>${body}${script}</body></html>
`.toString(),
  };
}

/** A page may do nothing but what it is made of. It is neither kept, framed nor found, and no other site learns its address. */
function headersOf({ style, script, sources = {} }: PageParts): Header[] {
  const directives = {
    'default-src': "'none'",
    'style-src': sourceOf(style),
    'script-src': script === undefined ? "'none'" : sourceOf(script),
    'form-action': "'none'",
    ...sources,
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
  };
  const policy = Object.entries(directives).map(([name, value]) => `${name} ${value}`);
  return [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Security-Policy', policy.join('; ')],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['X-Robots-Tag', 'noindex'],
    ['Cache-Control', 'no-store'],
  ];
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

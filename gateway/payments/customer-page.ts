import { createHash } from 'node:crypto';
import type { Headers } from '../http/port.ts';

/** A page for somebody who pays. All texts are plain, and escaped here. */
export interface CustomerPage {
  readonly title: string;
  readonly text: string;
  /** Loads itself again after so many seconds. */
  readonly reloadSeconds?: number;
  /** Buttons that send `name` with their value to the page's own address. */
  readonly form?: { readonly name: string; readonly buttons: readonly (readonly [value: string, label: string])[] };
  readonly link?: { readonly href: string; readonly label: string };
}

const STYLE =
  'body{font:18px/1.5 system-ui,sans-serif;max-width:30em;margin:15vh auto;padding:0 1em;color:#1a1a1a}' +
  'button,a.button{font:inherit;padding:.6em 1.4em;margin:0 .6em .6em 0;border:1px solid #1a1a1a;border-radius:.4em;' +
  'background:#fff;color:inherit;text-decoration:none}button:first-child{background:#1a1a1a;color:#fff}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded, no script runs, no page may frame it, and no other site learns the address, which is a secret. */
export const PAGE_HEADERS: Headers = [
  ['Content-Type', 'text/html; charset=utf-8'],
  [
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  ],
  ['Cache-Control', 'no-store'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Robots-Tag', 'noindex'],
];

/** The page as HTML; to be sent with PAGE_HEADERS. */
export function customerPage({ title, text, reloadSeconds, form, link }: CustomerPage): string {
  const reload = reloadSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${reloadSeconds}">`;
  const buttons = form?.buttons.map(
    ([value, label]) => `<button name="${escaped(form.name)}" value="${escaped(value)}">${escaped(label)}</button>`,
  );
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8">${reload}` +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    `<title>${escaped(title)}</title><style>${STYLE}</style></head>` +
    `<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p>` +
    (buttons ? `<form method="post">${buttons.join('')}</form>` : '') +
    (link ? `<p><a class="button" href="${escaped(link.href)}">${escaped(link.label)}</a></p>` : '') +
    '</body></html>'
  );
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

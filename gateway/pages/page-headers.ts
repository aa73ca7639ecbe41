import { createHash } from 'node:crypto';
import type { Header } from '../http/port.ts';

/** The parts of a page that may take effect, each to the letter. A browser refuses anything else. */
export interface PageParts {
  readonly style: string;
  readonly script?: string;
  /** Directives for what the page loads and sends, of its own origin or of others: `img-src`, `connect-src`, `form-action`. */
  readonly sources?: Readonly<Record<string, string>>;
}

/**
 * The headers of a page for people: it may do nothing but what it is made of, and is neither kept nor framed nor named to
 * others.
 */
export function pageHeaders({ style, script, sources = {} }: PageParts): Header[] {
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
    ['Cache-Control', 'no-store'],
  ];
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

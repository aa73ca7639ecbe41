import { METHODS } from 'node:http';
import type { HttpLimits, RefusalReason } from './port.ts';

/** The head of a request as the connection gave it: header names in lower case, values trimmed, in their order. */
export interface Head {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly names: readonly string[];
  readonly values: readonly string[];
}

export interface Framing {
  /**
   * The action instead of dispatching. `drop` closes without an answer: where two readers of these bytes could disagree
   * on the end of the request, an answer might be taken for that of another request.
   */
  readonly verdict: 'dispatch' | 'drop' | RefusalReason;
  /** Announced bytes of body; undefined when the body is chunked. */
  readonly contentLength: number | undefined;
  /** The client wants the connection closed after the answer. */
  readonly closes: boolean;
}

const KNOWN_METHODS = new Set(METHODS.filter((method) => method !== 'CONNECT'));
const MUST_HAVE_LENGTH = new Set(['POST', 'PUT', 'PATCH']);
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;
const HOST = /^[\w.~!$&'()*+,;=:%[\]-]+$/;
const LENGTH = /^\d{1,15}$/;
/** Colon, space and line end of a header line. */
const HEADER_LINE_BYTES = 4;

const refused = (verdict: Framing['verdict']): Framing => ({ verdict, contentLength: 0, closes: true });
const DROP = refused('drop');

/**
 * Judges the framing of a request (RFC 9112 §3, §6) as far as it can be seen behind a parser that is more lenient than
 * the RFC. It looks at every header: the parser itself looks up the first of a name only.
 */
export function judgeHead(head: Head, limits: HttpLimits, requireContentLength: boolean): Framing {
  const { method, path, query, names, values } = head;
  if (path.length + query.length > limits.urlBytes) return refused('urlTooLong');
  if (names.length > limits.headerCount) return refused('headersTooLarge');
  if (!KNOWN_METHODS.has(method) || path.charCodeAt(0) !== 0x2f) return DROP;
  if (!VISIBLE_ASCII.test(path) || !VISIBLE_ASCII.test(query)) return DROP;

  let bytes = 0;
  let host: string | undefined;
  let length: string | undefined;
  let encoding: string | undefined;
  let closes = false;
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const value = values[i]!;
    bytes += name.length + value.length + HEADER_LINE_BYTES;
    if (!TOKEN.test(name) || CONTROL.test(value)) return DROP;
    switch (name) {
      case 'host':
        if (host !== undefined || !HOST.test(value)) return DROP;
        host = value;
        break;
      case 'content-length':
        if (length !== undefined || !LENGTH.test(value)) return DROP;
        length = value;
        break;
      case 'transfer-encoding':
        if (encoding !== undefined || value !== 'chunked') return DROP;
        encoding = value;
        break;
      case 'connection':
        closes ||= /\bclose\b/i.test(value);
        break;
    }
  }
  if (bytes > limits.headerBytes) return refused('headersTooLarge');
  if (host === undefined || (length !== undefined && encoding !== undefined)) return DROP;
  if (encoding !== undefined && requireContentLength) return refused('lengthRequired');
  // A length that the parser did not see leaves a body that it would run as a second request
  // (docs/internals/http-adapter.md).
  if (encoding === undefined && length === undefined && MUST_HAVE_LENGTH.has(method)) return refused('lengthRequired');
  const contentLength = encoding === undefined ? Number(length ?? 0) : undefined;
  return { verdict: 'dispatch', contentLength, closes };
}

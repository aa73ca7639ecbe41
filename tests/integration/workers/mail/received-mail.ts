import assert from 'node:assert/strict';

/** A mail as a program for mails reads it. */
export interface ReadMail {
  /** By their names in lower case, unfolded and decoded; of several with one name the last. */
  readonly headers: ReadonlyMap<string, string>;
  readonly headerNames: readonly string[];
  readonly text: string;
  readonly html: string | undefined;
}

/** Reads a mail of one part, or one with alternatives. */
export function readMail(source: string): ReadMail {
  const [headers, body] = split(source);
  const boundary = /^multipart\/alternative;\s*boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1];
  const parts = boundary === undefined ? [source] : partsOf(body, boundary);
  const [text, html] = ['text/plain', 'text/html'].map((type) =>
    parts.map(contentOf(type)).find((it) => it !== undefined),
  );
  assert.ok(text !== undefined, 'a mail without a part of text');
  return { headers, headerNames: [...headers.keys()], text, html };
}

function partsOf(body: string, boundary: string): string[] {
  const [, ...parts] = body.split(
    new RegExp(`^--${boundary.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:--)?\\r\\n`, 'm'),
  );
  return parts.map((part) => part.replace(/\r\n$/, '')).filter((part) => part.includes('\r\n\r\n'));
}

function split(source: string): [headers: Map<string, string>, body: string] {
  const end = source.indexOf('\r\n\r\n');
  const lines = source
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
  });
  return [new Map(headers), source.slice(end + 4)];
}

/** The encoded words of RFC 2047. */
function decodeWords(value: string): string {
  return value
    .replace(/(=\?[^?]+\?[BQ]\?[^?]*\?=)\s+(?==\?)/gi, '$1')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('latin1')
        : unquote(word.replaceAll('_', ' ')),
    )
    .replace(/[\x80-\xff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString('utf8'));
}

function contentOf(type: string) {
  return (part: string): string | undefined => {
    const [headers, body] = split(part);
    if (!headers.get('content-type')?.startsWith(`${type}; charset=utf-8`)) return undefined;
    return decode(body, headers.get('content-transfer-encoding') ?? '7bit').replaceAll('\r\n', '\n');
  };
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  return Buffer.from(unquote(body.replace(/=\r\n/g, '')), 'latin1').toString('utf8');
}

function unquote(text: string): string {
  return text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

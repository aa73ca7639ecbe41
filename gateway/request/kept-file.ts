import { createHash } from 'node:crypto';
import type { Header, IncomingRequest, Reply } from '../http/port.ts';
import { isKnownTag } from './parse-request.ts';

/** A file that stays the same until the next release. */
export interface KeptFile {
  readonly type: string;
  readonly body: string | Buffer;
  readonly etag: string;
}

export function keptFile(type: string, body: string | Buffer): KeptFile {
  return { type, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}

/** Sends a file, or 304 to a caller who has it. Caches keep it, and ask each time whether it is still the same. */
export function sendKept({ type, body, etag }: KeptFile, headers: readonly Header[], exchange: Exchange): void {
  const { reply, incoming } = exchange;
  const kept: Header[] = [['ETag', etag], ['Cache-Control', 'no-cache'], ...headers];
  if (isKnownTag(incoming.header('if-none-match'), etag)) reply.send(304, kept, '');
  else reply.send(200, [['Content-Type', type], ...kept], body);
}

export interface Exchange {
  readonly reply: Reply;
  readonly incoming: IncomingRequest;
}

import { isIP } from 'node:net';
import { LIMITS } from '../../schema/limits.ts';
import type { IncomingRequest } from '../http/port.ts';
import { type IsTrusted, remembering } from './trusted-proxies.ts';

/** Longer lists of proxies are read again each time. */
const REMEMBERED_CHARS = 100;

/**
 * The client's address: the peer's, or what trusted proxies say of it. X-Forwarded-For is read from its end, past the
 * proxies that are trusted themselves: what stands before the first stranger, anybody can have written. Null when the
 * peer is gone already.
 */
export function createClientAddress(isTrusted: IsTrusted): (request: IncomingRequest) => string | null {
  const read = (forwarded: string) => originOf(forwarded, isTrusted);
  const readKnown = remembering(LIMITS.forwardedAddresses, read);
  return (request) => {
    const peer = request.remoteAddress;
    if (peer === '') return null;
    const forwarded = request.header('x-forwarded-for');
    if (forwarded === undefined || !isTrusted(peer)) return peer;
    return (forwarded.length <= REMEMBERED_CHARS ? readKnown(forwarded) : read(forwarded)) || peer;
  };
}

/** Empty when nothing in it is an address. */
function originOf(forwarded: string, isTrusted: IsTrusted): string {
  let origin = '';
  for (const entry of forwarded.split(',').reverse()) {
    const address = addressIn(entry.trim());
    if (address === undefined) break;
    origin = address;
    if (!isTrusted(address)) break;
  }
  return origin;
}

/** Without port, brackets and zone; IPv4 inside IPv6 as IPv4. */
function addressIn(entry: string): string | undefined {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1];
  const withPort = /^([\d.]+):\d+$/.exec(entry)?.[1];
  const bare = (bracketed ?? withPort ?? entry).replace(/%.*$/, '').toLowerCase();
  const address = /^::ffff:([\d.]+)$/.exec(bare)?.[1] ?? bare;
  return isIP(address) === 0 ? undefined : address;
}

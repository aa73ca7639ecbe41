import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { LIMITS } from '../../../schema/limits.ts';
import { isPublicAddress } from './public-address.ts';
import type { ResolveHost } from './resolve-host.ts';
import { isServicePort } from './service-ports.ts';

/** The target is not on the public internet, or is no place for a web server. */
export class ForbiddenAddressError extends Error {}

interface ConnectorOptions {
  readonly allowPrivate: boolean;
  readonly resolve: ResolveHost;
  readonly timeoutMs: number;
  /** A certificate to trust instead of the usual authorities. */
  readonly ca?: string | undefined;
}

/**
 * Connects for undici to public addresses only, unless private ones are permitted; otherwise ForbiddenAddressError. The
 * checked address is the connected one: a name is resolved once, for both.
 */
export function createCheckedConnector({
  allowPrivate,
  resolve,
  timeoutMs,
  ca,
}: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: createCheckedLookup(allowPrivate, resolve),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: LIMITS.outboundAttemptMs,
    maxCachedSessions: LIMITS.outboundTlsSessions,
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  });
  return (target, callback) => {
    if (!allowPrivate && isForbidden(target)) queueMicrotask(() => callback(new ForbiddenAddressError(), null));
    else connect(target, callback);
  };
}

/** Node looks up no literals. */
function isForbidden({ hostname, port }: buildConnector.Options): boolean {
  return isServicePort(Number(port)) || (isIP(hostname) !== 0 && !isPublicAddress(hostname));
}

/** For net.connect: one address that is not public forbids the host, since it is not known which would be taken. */
function createCheckedLookup(allowPrivate: boolean, resolve: ResolveHost): LookupFunction {
  async function findAddresses(host: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(host);
    if (!allowPrivate && !addresses.every(isPublicAddress)) throw new ForbiddenAddressError();
    return addresses.slice(0, LIMITS.outboundAddresses).map((address) => ({ address, family: isIP(address) }));
  }
  // With autoSelectFamily node always asks for all.
  return (host, _options, callback) => {
    findAddresses(host).then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, []),
    );
  };
}

import { lookup, NODATA, Resolver } from 'node:dns/promises';
import { LIMITS } from '../../../schema/limits.ts';

/** All addresses of a host, at least one; rejects with the code of node:dns when there is none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/**
 * Where private addresses are refused, only DNS is asked: it takes no thread, so that slow name servers delay no other
 * name. Where they are permitted, names of the machine itself count too. `servers`: name servers instead of the
 * machine's.
 */
export function createHostResolver(allowPrivate: boolean, servers?: readonly string[]): ResolveHost {
  if (allowPrivate) return async (host) => (await lookup(host, { all: true })).map(({ address }) => address);
  const resolver = new Resolver({ timeout: LIMITS.dnsTimeoutMs, tries: LIMITS.dnsTries });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw four.status === 'rejected' ? four.reason : noAddressOf(host);
    return addresses;
  };
}

/** node:dns fulfils with an empty list where a name leads to another name that has no address. */
function noAddressOf(host: string): Error {
  return Object.assign(new Error(`queryA ENODATA ${host}`), { code: NODATA, syscall: 'queryA', hostname: host });
}

import { BlockList, isIPv6 } from 'node:net';
import { ConfigError } from '../../engine/runtime/config.ts';
import type { IncomingRequest } from '../http/port.ts';

export interface TransportOptions {
  /** The gateway serves TLS itself. */
  readonly servesTls: boolean;
  readonly allowInsecureHttp: boolean;
  /** Addresses, or networks in CIDR form, of proxies whose word on the protocol counts. */
  readonly trustedProxies: readonly string[];
}

/** Whether a request came over HTTPS, as far as anyone trustworthy says (decisions.md §1, "HTTPS only"). */
export function createTransportGuard(options: TransportOptions): (request: IncomingRequest) => boolean {
  if (options.servesTls || options.allowInsecureHttp) return () => true;
  const proxies = new BlockList();
  for (const entry of options.trustedProxies) addTrusted(proxies, entry);
  return (request) =>
    request.header('x-forwarded-proto') === 'https' &&
    proxies.check(request.remoteAddress, isIPv6(request.remoteAddress) ? 'ipv6' : 'ipv4');
}

function addTrusted(list: BlockList, entry: string): void {
  const [address = '', prefix] = entry.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  try {
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  } catch {
    throw new ConfigError(`TRUSTED_PROXIES: "${entry}" is neither an address nor a network in CIDR form.`);
  }
}

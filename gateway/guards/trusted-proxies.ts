import { BlockList, isIPv6 } from 'node:net';
import { ConfigError } from '../../engine/runtime/config.ts';

/** Whether an address is that of a proxy whose word on a request counts. */
export type IsTrusted = (address: string) => boolean;

/** @param entries addresses, or networks in CIDR form. Throws ConfigError on anything else. */
export function createTrustedProxies(entries: readonly string[]): IsTrusted {
  if (entries.length === 0) return () => false;
  const proxies = new BlockList();
  for (const entry of entries) addTrusted(proxies, entry);
  return (address) => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
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

/** The same function with a cache of its last answers; the cache is emptied when it is full. */
export function remembering<T>(most: number, compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const answer = known.get(text);
    if (answer !== undefined) return answer;
    if (known.size >= most) known.clear();
    const computed = compute(text);
    known.set(text, computed);
    return computed;
  };
}

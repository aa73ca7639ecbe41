import { isIPv6 } from 'node:net';
import { networksOf } from '../../engine/runtime/setting-checks.ts';

/** Whether an address is that of a proxy whose word on a request counts. */
export type IsTrusted = (address: string) => boolean;

/** @param entries addresses, or networks in CIDR form. Throws on anything else. */
export function createTrustedProxies(entries: readonly string[]): IsTrusted {
  if (entries.length === 0) return () => false;
  const proxies = networksOf(entries);
  return (address) => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
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

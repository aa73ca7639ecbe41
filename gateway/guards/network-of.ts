import { isIPv6 } from 'node:net';

/** An IPv4 address itself; of an IPv6 one the /64, which is what one customer is given. */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  // A dotted tail stands for two groups.
  const given = left.length + right.length + (bare.includes('.') ? 1 : 0);
  const groups = [...left, ...Array<string>(8 - given).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 that leads to no host of the public internet. Source: IANA's registry of special-purpose addresses. */
const special = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  special.addSubnet(network, bits, 'ipv4');

/** Only the global unicast block of IPv6 is public, less what in it is special or leads on to any IPv4 (6to4, Teredo). */
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');
const specialOfGlobal = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  specialOfGlobal.addSubnet(network, bits, 'ipv6');

/**
 * Whether a literal, as DNS or the URL parser gives it (without brackets), is an address of the public internet.
 * Anything else is not: other spellings of IPv4, zones, IPv4 inside IPv6, text.
 */
export function isPublicAddress(text: string): boolean {
  if (isIPv4(text)) return !special.check(text, 'ipv4');
  if (!isIPv6(text) || text.includes('%')) return false;
  return global.check(text, 'ipv6') && !specialOfGlobal.check(text, 'ipv6');
}

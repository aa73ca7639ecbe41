import { BlockList, isIPv6 } from 'node:net';
import { FAULT_POINTS } from './fault-points.ts';

/** Whether values of settings can be used. */

/** One of OSRM may have a `{mode}` in it. */
export function isWebAddress(text: string): boolean {
  return isPlainAddress(text.replaceAll('{mode}', 'car'));
}

export function isPlainAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Links are made by writing a path behind it, and go to customers. */
export function isLinkBase(text: string): boolean {
  if (!isPlainAddress(text) || /[\s?#\\]/.test(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Settings that each connection gives itself. The client would let those of the address win. */
const OF_CONNECTIONS = [
  // The verbs of the administrator find running programs by it.
  'application_name',
  'client_encoding',
  'idle_in_transaction_session_timeout',
  'jit',
  'statement_timeout',
  'timezone',
];

/** The client would verify the server for any other word too. */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** The complaint about an address of Postgres; undefined when there is none. It quotes nothing, since a password may be anywhere. */
export function problemOfPostgresUrl(text: string): string | undefined {
  if (!isPostgresUrl(text)) {
    return 'must be a URL like postgres://user:password@127.0.0.1:5432/dispatch, with special characters of the password as %40';
  }
  const parameters = new URLSearchParams(text.replace(/^[^?]*/, '').replace(/#.*$/s, ''));
  const names = [...parameters.keys()].map((name) => name.toLowerCase());
  const own = OF_CONNECTIONS.find((name) => names.includes(name));
  if (own) return `must not have the parameter ${own}, which each connection sets for itself`;
  if (parameters.getAll('sslmode').some((mode) => !SSL_MODES.includes(mode))) {
    return `must have as sslmode one of ${SSL_MODES.join(', ')}`;
  }
  return undefined;
}

/** As the client of Postgres reads it, which takes several hosts with commas between them. */
function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\//i.test(text)) return false;
  const authority = text.slice(text.indexOf('://') + 3).split(/[?/]/)[0]!;
  const hosts = authority.slice(authority.indexOf('@') + 1);
  // In a list, a colon is always before a port.
  if (hosts.includes(',') && !hosts.split(',').every((host) => /^[^:@[\]]+(:\d+)?$/.test(host))) return false;
  return hasReadableLogin(text.replace(hosts, hosts.split(',')[0]!));
}

/** As ioredis reads it: a URL whose path is the number of a database, or the path of a Unix socket. */
export function isRedisUrl(text: string): boolean {
  if (/^\/[^/]/.test(text)) return true;
  return /^rediss?:\/\//i.test(text) && hasReadableLogin(text) && /^\/?\d*$/.test(new URL(text).pathname);
}

export function isSmtpUrl(text: string): boolean {
  return /^smtps?:\/\/[^/]/.test(text) && hasReadableLogin(text);
}

/** The clients decode name and password: a `%` that stands for itself makes them fail. */
function hasReadableLogin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** `point` or `point:n`. */
export function isFaultPoint(text: string): boolean {
  const [point, count = '1', ...rest] = text.split(':');
  return FAULT_POINTS.some((known) => known === point) && /^\d+$/.test(count) && rest.length === 0;
}

/** The addresses and networks of a list. Throws an error that quotes the first entry that is neither. */
export function networksOf(entries: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const entry of entries) {
    const [, address = '', prefix] = entry.match(/^([^/]*)(?:\/(\d{1,3}))?$/) ?? [];
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    try {
      if (prefix === undefined) networks.addAddress(address, family);
      else networks.addSubnet(address, Number(prefix), family);
    } catch {
      throw new Error(`"${entry}" is neither an address nor a network in CIDR form`);
    }
  }
  return networks;
}

/** The complaint about a list of addresses and networks; undefined when there is none. */
export function problemOfNetworks(entries: readonly string[]): string | undefined {
  try {
    networksOf(entries);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

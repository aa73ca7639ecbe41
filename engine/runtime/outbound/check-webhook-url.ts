import { isIP } from 'node:net';
import { LIMITS } from '../../../schema/limits.ts';
import { withDeadline } from '../deadline.ts';
import { isPublicAddress } from './public-address.ts';
import { createHostResolver, type ResolveHost } from './resolve-host.ts';
import { isServicePort } from './service-ports.ts';

interface CheckOptions {
  readonly allowPrivate: boolean;
  /** Tests bring their own. */
  readonly resolve?: ResolveHost;
}

const PRIVATE_HOST = 'must not lead to a private address';
/** Names that mean a host near by, if any. */
const nearbyName = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Judges whether deliveries may go to a URL. Returns the fault, worded to follow the field's name, or undefined. Every
 * connection checks again, so an unknown name passes here.
 */
export async function checkWebhookUrl(url: string, options: CheckOptions): Promise<string | undefined> {
  const { allowPrivate, resolve = createHostResolver(allowPrivate) } = options;
  // The URL parser would pass over them.
  if (/[\s\p{Cc}]/u.test(url)) return 'must not contain spaces or control characters';
  if (!URL.canParse(url)) return 'must be a URL like https://example.com/hook';
  const parsed = new URL(url);
  const complaint = complaintOfForm(parsed);
  if (complaint || allowPrivate) return complaint;
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host)) {
    if (!isPublicAddress(host)) return PRIVATE_HOST;
  } else if (nearbyName.test(host)) return 'must name a host of the public internet';
  if (isServicePort(Number(parsed.port))) return `must not use port ${parsed.port}`;
  if (isIP(host)) return undefined;
  return (await findAddresses(host, resolve)).every(isPublicAddress) ? undefined : PRIVATE_HOST;
}

function complaintOfForm({ protocol, username, password, hash, hostname, href }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://';
  if (username || password) return 'must not contain a user name or a password';
  if (hash || href.endsWith('#')) return 'must not contain a fragment';
  if (hostname.endsWith('.')) return 'must not end its host with a dot';
  return undefined;
}

/** None for a host without an answer in time: missing DNS must not prevent a registration. */
async function findAddresses(host: string, resolve: ResolveHost): Promise<readonly string[]> {
  return withDeadline(resolve(host), LIMITS.webhookUrlCheckMs, `resolving ${host}`).catch(() => []);
}

import { createHash, timingSafeEqual } from 'node:crypto';

/** The facts about a request that decide whether it may read metrics. */
export interface MetricsRequest {
  readonly remoteAddress: string;
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined;
}

/** Headers by which a proxy on this machine gives itself away. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'via'];
const LOOPBACK = /^(::ffff:)?127(\.\d{1,3}){3}$|^::1$/;

/**
 * Decides who reads metrics. With a token its bearers do, from anywhere, and nobody else. Without one every caller on
 * this machine does, unless a proxy has forwarded the request. The comparison takes the same time for every wrong token.
 */
export function createMetricsAccess(token: string | undefined): (request: MetricsRequest) => boolean {
  if (token === undefined) return isDirect;
  const expected = digestOf(token);
  return (request) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
    return given !== undefined && timingSafeEqual(digestOf(given), expected);
  };
}

function isDirect(request: MetricsRequest): boolean {
  return LOOPBACK.test(request.remoteAddress) && FORWARDING.every((name) => request.header(name) === undefined);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

import { ForbiddenAddressError } from './checked-connector.ts';

const REFUSED = 'connection refused';
const UNREACHABLE = 'the host cannot be reached';
const CLOSED = 'the connection was closed before the answer was whole';
const UNTRUSTED = 'TLS: certificate not trusted';
const SELF_SIGNED = 'TLS: certificate is self-signed';

/** By the codes of node, OpenSSL and undici. */
const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: REFUSED,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  UND_ERR_CONNECT_TIMEOUT: UNREACHABLE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too long',
  CERT_HAS_EXPIRED: 'TLS: certificate expired',
  CERT_NOT_YET_VALID: 'TLS: certificate not valid yet',
  CERT_REVOKED: 'TLS: certificate revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: certificate is for another host',
};

/** By the beginning of a code that stands for many. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^(?:CERT_|UNABLE_TO_|INVALID_CA|PATH_LENGTH_|HOSTNAME_)/, UNTRUSTED],
  [/^(?:ERR_SSL_|ERR_TLS_|EPROTO)/, 'TLS: handshake failed'],
  [/^(?:HPE_|HTTPParserError)/, 'the answer is not HTTP/1.1'],
];

/** The fault of an attempt, for the owner of the endpoint: stable, and without addresses. */
export function describeSendError(error: Error): string {
  if (error instanceof ForbiddenAddressError) return 'the host has a private address';
  const code = codeOf(error);
  if (isOfLookup(error))
    return noSuchName.has(code) ? 'the name of the host is not known' : 'the name of the host could not be looked up';
  return texts[code] ?? families.find(([pattern]) => pattern.test(code))?.[1] ?? `the request failed (${code})`;
}

const noSuchName: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** Its codes are partly those of connections: a name server may refuse them too. */
function isOfLookup(error: Error): boolean {
  const { syscall } = error as { syscall?: unknown };
  return typeof syscall === 'string' && /^(?:query|getaddrinfo)/.test(syscall);
}

/** A fault of this machine says nothing about the endpoint. */
export function isOfThisSide(error: Error): boolean {
  return ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'UND_ERR_INVALID_ARG'].includes(codeOf(error));
}

/** The other side may have closed an idle connection just before it was used. */
export function isClosedByOther(error: Error): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error));
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

import { ConfigError } from '../runtime/config.ts';

/** SQLSTATEs of a database that is not there, or does not let us in: to wait for it mends nothing. */
const SHUT = /^(28|3D000)/;
/** Codes of an address where no Postgres answers. */
const UNREACHABLE = /^(ECONN|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EHOST|CONNECT_TIMEOUT)/;

/** Throws a ConfigError that names the setting for a database that is shut; any other error as it is. */
export function refuseShut(error: unknown): never {
  throw asConfigError(error, SHUT);
}

/** As `refuseShut`, also where nobody answers: for programs that do not wait for Postgres. */
export function refuseUnusable(error: unknown): never {
  throw asConfigError(asConfigError(error, SHUT), UNREACHABLE);
}

/**
 * A parameter of the address that the server does not know, or with a value that it cannot use, and one that a pool between does not
 * pass on.
 */
function isOfParameter({ severity, code = '', message }: NodeJS.ErrnoException & { severity?: string }): boolean {
  return severity === 'FATAL' && (/^(22|42)/.test(code) || message.includes('startup parameter'));
}

function asConfigError(error: unknown, codes: RegExp): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!codes.test(code) && !isOfParameter(error as Error)) return error;
  return new ConfigError(`DATABASE_URL leads to no database that lets us in: ${message || code}`);
}

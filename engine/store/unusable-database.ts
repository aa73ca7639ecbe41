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

function asConfigError(error: unknown, codes: RegExp): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!codes.test(code)) return error;
  return new ConfigError(`DATABASE_URL leads to no database that lets us in: ${message || code}`);
}

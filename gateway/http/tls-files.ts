import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../engine/runtime/config.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Throws ConfigError that says which setting leads to a file that TLS cannot be served with, and why. */
export function checkTlsFiles({ certFile, keyFile }: TlsFiles): void {
  const cert = use('TLS_CERT_FILE', certFile, () => readFileSync(certFile));
  const key = use('TLS_KEY_FILE', keyFile, () => readFileSync(keyFile));
  use('TLS_CERT_FILE', certFile, () => createSecureContext({ cert }));
  use('TLS_KEY_FILE', keyFile, () => createSecureContext({ key }));
  use('TLS_CERT_FILE and TLS_KEY_FILE', `${certFile} with ${keyFile}`, () => createSecureContext({ cert, key }));
}

function use<T>(setting: string, files: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw new ConfigError(`${setting}: ${files} cannot be used: ${(error as Error).message}.`);
  }
}

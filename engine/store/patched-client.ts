import { assertInstalledClientIsPatched } from './patches/client-patch.mjs';

/** Throws when the client lacks its patch. A compiled program holds the client that the build has checked. */
export function assertClientIsPatched(): void {
  if (import.meta.url.endsWith('.ts')) assertInstalledClientIsPatched();
}

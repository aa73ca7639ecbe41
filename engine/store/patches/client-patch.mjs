import { readFileSync } from 'node:fs';

/** A line that only the client with the newest patch has. */
const MARK = 'socket.setNoDelay(true)';

/**
 * Throws unless the newest patch of this folder was applied to the installed Postgres client. Without it a lost connection
 * leaves half an answer behind, which the next query takes for its own: no data may be read through such a client.
 */
export function assertInstalledClientIsPatched() {
  if (readFileSync(new URL('connection.js', import.meta.resolve('postgres')), 'utf8').includes(MARK)) return;
  throw new Error(
    'The installed Postgres client lacks the patch in engine/store/patches (scripts were off during the install?). ' +
      'Run: npm run postinstall',
  );
}

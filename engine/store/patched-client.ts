import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A line that only the client with the newest patch has. */
const MARK = 'socket.setNoDelay(true)';

/**
 * Throws unless the newest of `engine/store/patches` was applied to the Postgres client. Without it a lost connection
 * leaves half an answer behind, which the next query takes for its own: no data may be read through such a client.
 */
export function assertClientIsPatched(): void {
  const file = fileURLToPath(new URL('connection.js', import.meta.resolve('postgres')));
  if (readFileSync(file, 'utf8').includes(MARK)) return;
  throw new Error(
    'The installed Postgres client lacks the patch in engine/store/patches (scripts were off during the install?). ' +
      'Run: npm run postinstall',
  );
}

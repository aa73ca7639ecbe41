import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SECRET_KEY_BYTES } from '../runtime/secret-box.ts';
import { LaunchError } from './processes/launch-error.ts';
import { writePrivateFile } from './processes/private-file.ts';

export const SECRETS_KEY_FILE = 'secrets.key';

/** Reads the value of SECRETS_KEY that `npm start` keeps. Undefined when there is no file yet. Throws LaunchError when it is empty. */
export function findSecretsKey(path: string): string | undefined {
  try {
    const key = readFileSync(path, 'utf8').trim();
    if (key !== '') return key;
    // No new key takes its place: the secrets in the database may be encrypted under the lost one.
    throw new LaunchError(
      `${path} is empty. Put the key back from a copy. Where there is none, remove the file: the next start makes a key, ` +
        'and does not go on when the database needs the lost one.',
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads it, or makes a key and keeps it. */
export function keepSecretsKey(path: string): string {
  const known = findSecretsKey(path);
  if (known !== undefined) return known;
  const made = randomBytes(SECRET_KEY_BYTES).toString('base64');
  writePrivateFile(path, `${made}\n`);
  return made;
}

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SECRET_KEY_BYTES } from '../runtime/secret-box.ts';
import { writePrivateFile } from './processes/private-file.ts';

export const SECRETS_KEY_FILE = 'secrets.key';

/** Reads the value of SECRETS_KEY that `npm start` keeps. Undefined when there is no file yet. */
export function findSecretsKey(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
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

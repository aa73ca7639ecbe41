import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { LaunchError } from './processes/launch-error.ts';
import { writePrivateFile } from './processes/private-file.ts';

const storeFactsSchema = v.object({ databaseUrl: v.string(), redisUrl: v.string(), redisPrefix: v.string() });

/** The addresses of the stores of a local instance, for its administrator. */
export type StoreFacts = v.InferOutput<typeof storeFactsSchema>;

/**
 * Reads DATA_DIR/stores.json. Undefined when there is no file yet. Throws LaunchError when the file was changed into
 * something else.
 */
export function findStoreFacts(path: string): StoreFacts | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return v.parse(storeFactsSchema, JSON.parse(text));
  } catch (error) {
    throw new LaunchError(
      `${path} does not hold the addresses of the stores (${(error as Error).message}); the next start writes it again.`,
    );
  }
}

export function writeStoreFacts(path: string, facts: StoreFacts): void {
  writePrivateFile(path, `${JSON.stringify(facts, undefined, 2)}\n`);
}

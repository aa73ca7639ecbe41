import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { LaunchError } from './processes/launch-error.ts';
import { writePrivateFile } from './processes/private-file.ts';

const storeFactsSchema = v.object({ databaseUrl: v.string(), redisUrl: v.string(), redisPrefix: v.string() });

/** Where the stores of a local instance are, for whoever administers it. */
export type StoreFacts = v.InferOutput<typeof storeFactsSchema>;

/** What DATA_DIR/stores.json says. Undefined when there is no file yet. Throws LaunchError when it was changed into something else. */
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
      `${path} does not hold the addresses of the stores (${(error as Error).message}); the next start writes it anew.`,
    );
  }
}

export function writeStoreFacts(path: string, facts: StoreFacts): void {
  writePrivateFile(path, `${JSON.stringify(facts, undefined, 2)}\n`);
}

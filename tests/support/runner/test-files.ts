import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

const SLOW = 'tests/slow/';

export interface Selection {
  /** Paths from the root, sorted. */
  readonly files: string[];
  /** Files that were named but need --slow. */
  readonly slow: string[];
}

/** The files of `all` that one of `filters` names (any part of the path; none = all), slow ones only when wanted. */
export function selectTestFiles(all: readonly string[], filters: readonly string[], withSlow: boolean): Selection {
  const wanted = all.filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter))).sort();
  if (withSlow) return { files: wanted, slow: [] };
  return {
    files: wanted.filter((file) => !file.startsWith(SLOW)),
    slow: filters.length === 0 ? [] : wanted.filter((file) => file.startsWith(SLOW)),
  };
}

/** Every test file of the repository, from its root, with forward slashes. */
export function listTestFiles(root: string): string[] {
  return readdirSync(posix.join(root, 'tests'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => posix.join('tests', path.replaceAll(sep, '/')));
}

/** Turns typed text into a part of a path from the root. */
export function toFilter(root: string, typed: string): string {
  const path = typed.startsWith('/') ? relative(root, typed) : typed;
  return path.replaceAll(sep, '/').replace(/^\.\//, '');
}

/** Every file with one of `endings` in the folders that the compiler checks, without declarations of types. */
export function listSources(root: string, ...endings: readonly string[]): string[] {
  const { include }: { include: string[] } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const isSource = (path: string) =>
    endings.some((ending) => path.endsWith(ending)) && !path.endsWith('.d.ts') && !path.includes('node_modules');
  return include.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(isSource)
      .map((path) => join(root, folder, path)),
  );
}

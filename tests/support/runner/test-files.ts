import { readdirSync } from 'node:fs';
import { posix, relative, sep } from 'node:path';

const SLOW = 'tests/slow/';
/** Folders by how long their files take. */
const LONGEST_FIRST = [SLOW, 'tests/faults/', 'tests/integration/', 'tests/api/'];

export interface Selection {
  /** Paths from the root, those that take longest first, so that at the end none of them is left to run alone. */
  readonly files: string[];
  /** Files that were asked for by name but need --slow. */
  readonly slow: string[];
}

/** The files of `all` that one of `filters` names (any part of the path; none = all), slow ones only when wanted. */
export function selectTestFiles(all: readonly string[], filters: readonly string[], withSlow: boolean): Selection {
  const wanted = all
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  if (withSlow) return { files: wanted, slow: [] };
  return {
    files: wanted.filter((file) => !file.startsWith(SLOW)),
    slow: filters.length === 0 ? [] : wanted.filter((file) => file.startsWith(SLOW)),
  };
}

function rankOf(file: string): number {
  const rank = LONGEST_FIRST.findIndex((folder) => file.startsWith(folder));
  return rank === -1 ? LONGEST_FIRST.length : rank;
}

/** Every test file of the repository, from its root, with forward slashes. */
export function listTestFiles(root: string): string[] {
  return readdirSync(posix.join(root, 'tests'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => posix.join('tests', path.replaceAll(sep, '/')));
}

/** What a person typed, as part of a path from the root. */
export function toFilter(root: string, typed: string): string {
  const path = typed.startsWith('/') ? relative(root, typed) : typed;
  return path.replaceAll(sep, '/').replace(/^\.\//, '');
}

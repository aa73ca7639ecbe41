import { readdirSync } from 'node:fs';
import { posix, relative, sep } from 'node:path';

const SLOW = 'tests/slow/';
/** Folders whose files mostly wait: for processes to start, for leases to run out. The others compute. */
const WAITING = [SLOW, 'tests/faults/', 'tests/integration/'];
/** Files that take 15 s or more, by a part of their paths. One that is missing here makes a run longer, nothing else. */
const LONGEST = [
  'faults/two-processes',
  'faults/commits/fault-points',
  'faults/commits/commit-points',
  'faults/regenerate',
  'integration/launcher/launcher',
  'integration/workers/activity',
  'integration/admin/admin',
  'integration/positions/trail-faults',
  'integration/assignment/crashes',
  'faults/silent-connection',
  'integration/engine/arrivals',
  'integration/assignment/rounds.',
  'faults/positions',
  'integration/workers/mail/mail.',
  'faults/webhooks',
  'integration/bench/simulate',
  'integration/bench/lists',
  'faults/kill-nine',
  'integration/http/',
];
/** The remaining files, by how long they take. */
const LONGER_FIRST = [SLOW, 'tests/faults/', 'tests/integration/', 'tests/api/'];

export interface Selection {
  /**
   * Paths from the root. Waiting files stand among computing ones, so that the processor is never idle. The longest
   * come first, so that none of them runs alone at the end.
   */
  readonly files: string[];
  /** Files that were named but need --slow. */
  readonly slow: string[];
}

/** The files of `all` that one of `filters` names (any part of the path; none = all), slow ones only when wanted. */
export function selectTestFiles(all: readonly string[], filters: readonly string[], withSlow: boolean): Selection {
  const wanted = all
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  if (withSlow) return { files: mixed(wanted), slow: [] };
  return {
    files: mixed(wanted.filter((file) => !file.startsWith(SLOW))),
    slow: filters.length === 0 ? [] : wanted.filter((file) => file.startsWith(SLOW)),
  };
}

/** Spreads the waiting files evenly among the others. */
function mixed(files: readonly string[]): string[] {
  const isWaiting = (file: string) => WAITING.some((folder) => file.startsWith(folder));
  const parts = [files.filter(isWaiting), files.filter((file) => !isWaiting(file))];
  return parts
    .flatMap((part) => part.map((file, index) => ({ file, place: (index + 0.5) / part.length })))
    .sort((a, b) => a.place - b.place)
    .map(({ file }) => file);
}

function rankOf(file: string): number {
  const rank = LONGEST.findIndex((part) => file.includes(part));
  if (rank !== -1) return rank;
  const folder = LONGER_FIRST.findIndex((start) => file.startsWith(start));
  return LONGEST.length + (folder === -1 ? LONGER_FIRST.length : folder);
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

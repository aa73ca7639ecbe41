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
  'integration/assignment/rounds.',
  'faults/positions',
  'integration/workers/mail/mail.',
  'faults/webhooks',
  'integration/bench/simulate',
  'faults/kill-nine',
  'integration/http/',
];
/** The remaining files, by how long they take. */
const LONGER_FIRST = [SLOW, 'tests/faults/', 'tests/integration/', 'tests/browser/', 'tests/api/'];
/**
 * How many files of a stage share a process. Most of the time of a short file is the start of its process: loading the
 * tree, and running it before V8 has compiled it, or starting a browser. Files of the other stages get a process each.
 */
const FILES_OF_A_PROCESS = {
  'tests/unit/': 32,
  'tests/api/': 47,
  'tests/integration/': 10,
  'tests/browser/': 12,
  'tests/faults/': 3,
  'tests/docs/': 6,
};
/** Files that need a process of their own, by a part of their paths, each with its reason. */
const APART: Readonly<Record<string, string>> = {
  'unit/gateway/console/page/link': 'it is the worker of the page, which one process opens once',
};

/**
 * Puts files that can share a process together. Waiting groups stand among computing ones, so that the processor is
 * never idle. The longest come first, so that none of them runs alone at the end.
 */
export function groupFiles(files: readonly string[]): string[][] {
  const apart = files.filter(isApart);
  const groups = Object.entries(FILES_OF_A_PROCESS).flatMap(([stage, size]) =>
    evenly(
      files.filter((file) => file.startsWith(stage) && !isApart(file)),
      size,
    ),
  );
  return inOrder([...apart.map((file) => [file]), ...groups]);
}

/** Each file in a process of its own, in the order of groupFiles(). */
export function separateFiles(files: readonly string[]): string[][] {
  return inOrder(files.map((file) => [file]));
}

function isApart(file: string): boolean {
  const isShared = Object.keys(FILES_OF_A_PROCESS).some((stage) => file.startsWith(stage));
  return !isShared || longestOf(file) !== -1 || Object.keys(APART).some((part) => file.includes(part));
}

/** Deals the files out: neighbours, which often take equally long, come into different groups. */
function evenly(files: readonly string[], size: number): string[][] {
  const groups: string[][] = Array.from({ length: Math.ceil(files.length / size) }, () => []);
  for (const [index, file] of files.entries()) groups[index % groups.length]!.push(file);
  return groups;
}

function inOrder(groups: readonly string[][]): string[][] {
  const sorted = [...groups].sort(([a = ''], [b = '']) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  const isWaiting = ([file]: readonly string[]) => WAITING.some((folder) => file?.startsWith(folder));
  const parts = [sorted.filter(isWaiting), sorted.filter((group) => !isWaiting(group))];
  return parts
    .flatMap((part) => part.map((group, index) => ({ group, place: (index + 0.5) / part.length })))
    .sort((a, b) => a.place - b.place)
    .map(({ group }) => group);
}

function rankOf(file: string): number {
  const longest = longestOf(file);
  if (longest !== -1) return longest;
  const folder = LONGER_FIRST.findIndex((start) => file.startsWith(start));
  return LONGEST.length + (folder === -1 ? LONGER_FIRST.length : folder);
}

function longestOf(file: string): number {
  return LONGEST.findIndex((part) => file.includes(part));
}

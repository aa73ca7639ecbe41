/** The fields of node:test's events that are counted here. */
interface TestEvent {
  readonly name: string;
  readonly file?: string | undefined;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  readonly details?:
    | {
        readonly type?: string | undefined;
        readonly duration_ms?: number | undefined;
        readonly error?: { readonly failureType?: string | undefined } | undefined;
      }
    | undefined;
}

interface FileCount {
  enqueued: number;
  completed: number;
  /** Counted failures, of the file itself too. */
  failures: number;
}

export interface Tally {
  enqueued(event: TestEvent): void;
  completed(event: TestEvent): void;
  passed(event: TestEvent): void;
  failed(event: TestEvent): void;
  /** Notes any other problem that must fail the run. */
  problem(message: string): void;
  /** Judges problems that appear only at the end: files without tests, tests that never ended. */
  close(files: readonly string[]): Outcome;
}

export interface Outcome {
  readonly problems: readonly string[];
  readonly failed: boolean;
  /** The time of the files of each stage, a folder of `tests/`, together: several files run at a time. */
  readonly stages: string;
  /** `N passed, N failed` and, if any, `, N skipped`. */
  readonly summary: string;
}

/**
 * Counts tests, and of the suites those that fail by themselves: by a hook, by the code between their tests, or by
 * their time. node:test reports a file that holds no test as one passed test, and a file that left by
 * `process.exit(0)` amid its tests as passed: both are failures here.
 */
export function createTally(): Tally {
  const files = new Map<string, FileCount>();
  const problems: string[] = [];
  const brokenFiles: string[] = [];
  const stageMs = new Map<string, number>();
  let passed = 0;
  let failed = 0;
  let skipped = 0;

  function countOf(file: string): FileCount {
    const count = files.get(file) ?? { enqueued: 0, completed: 0, failures: 0 };
    files.set(file, count);
    return count;
  }
  const isFile = ({ name, file }: TestEvent) => name === file;
  /** In a group a file is a suite, which has its path for a name and another file for its place. */
  const failuresIn = ({ name, file }: TestEvent) =>
    [...files].reduce((sum, [path, { failures }]) => (isPathOf(path, name) || path === file ? sum + failures : sum), 0);
  /** A suite is cancelled with its tests, which come before it and count; without them it is the failure. */
  function isCounted(event: TestEvent): boolean {
    if (event.details?.type !== 'suite') return true;
    const type = event.details.error?.failureType;
    return type !== 'subtestsFailed' && (type !== 'cancelledByParent' || failuresIn(event) === 0);
  }

  return {
    enqueued(event) {
      if (event.file && !isFile(event)) countOf(event.file).enqueued += 1;
    },
    completed(event) {
      if (!event.file) return;
      if (!isFile(event)) countOf(event.file).completed += 1;
      // A test file is a process, or a suite with its path as the name.
      const stage = stageOf(event.name);
      if (stage !== undefined) stageMs.set(stage, (stageMs.get(stage) ?? 0) + (event.details?.duration_ms ?? 0));
    },
    passed(event) {
      if (isFile(event) || event.details?.type === 'suite') return;
      if (event.skip !== undefined || event.todo !== undefined) skipped += 1;
      else passed += 1;
    },
    failed(event) {
      if (!isCounted(event)) return;
      failed += 1;
      if (event.file) countOf(event.file).failures += 1;
      if (event.details?.type === 'suite' && stageOf(event.name) !== undefined) brokenFiles.push(event.name);
    },
    problem(message) {
      problems.push(message);
    },
    close(expected) {
      for (const file of expected) {
        const { enqueued, completed, failures } = countOf(file);
        if (failures > 0 || brokenFiles.some((name) => isPathOf(file, name))) continue;
        if (enqueued === 0) problems.push(`${file} ran no test`);
        else if (completed < enqueued) problems.push(`${file} ended before ${enqueued - completed} of its tests did`);
      }
      const failures = failed + problems.length;
      const tail = skipped > 0 ? `, ${skipped} skipped` : '';
      const stages = [...stageMs].sort().map(([stage, ms]) => `${stage} ${Math.round(ms / 1_000)} s`);
      return {
        problems,
        failed: failures > 0,
        stages: stages.join(', '),
        summary: `${passed} passed, ${failures} failed${tail}`,
      };
    },
  };
}

/** Whether `name`, a path from the root, is the name of the file at `path`. */
function isPathOf(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`);
}

/** The folder of `tests/` that a test file is in; a file of `tests/` itself is a stage of its own. */
function stageOf(name: string): string | undefined {
  return /(?:^|\/)tests\/([^/]+)(?:\/.*)?(?<=\.test\.ts)$/.exec(name)?.[1];
}

/** The fields of node:test's events that are counted here. */
interface TestEvent {
  readonly name: string;
  readonly file?: string | undefined;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  readonly details?: { readonly type?: string | undefined; readonly duration_ms?: number | undefined } | undefined;
}

interface FileCount {
  enqueued: number;
  completed: number;
  failed: boolean;
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
 * Counts tests, not suites. node:test reports a file that holds no test as one passed test, and a file that left by
 * `process.exit(0)` amid its tests as passed: both are failures here.
 */
export function createTally(): Tally {
  const files = new Map<string, FileCount>();
  const problems: string[] = [];
  const stageMs = new Map<string, number>();
  let passed = 0;
  let failed = 0;
  let skipped = 0;

  function countOf(file: string): FileCount {
    const count = files.get(file) ?? { enqueued: 0, completed: 0, failed: false };
    files.set(file, count);
    return count;
  }
  const isFile = ({ name, file }: TestEvent) => name === file;

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
      if (isFile(event)) countOf(event.name).failed = true;
      if (event.details?.type !== 'suite') failed += 1;
      else if (event.file) countOf(event.file).failed = true;
    },
    problem(message) {
      problems.push(message);
    },
    close(expected) {
      for (const file of expected) {
        const { enqueued, completed, failed: fileFailed } = countOf(file);
        if (fileFailed) continue;
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

/** The folder of `tests/` that a test file is in; a file of `tests/` itself is a stage of its own. */
function stageOf(name: string): string | undefined {
  return /(?:^|\/)tests\/([^/]+)(?:\/.*)?(?<=\.test\.ts)$/.exec(name)?.[1];
}

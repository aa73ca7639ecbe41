import { withDeadline } from './deadline.ts';

/**
 * A stack of things to undo. Every opened part pushes its own release right after it opened; stopping runs them once,
 * newest first, and reports the first failure after all have run.
 */
export interface Releaser {
  /** Registers an undo. `deadlineMs` bounds it: past that, stopping goes on with the next one. */
  push(name: string, release: () => unknown | Promise<unknown>, deadlineMs?: number): void;
  /** Runs every undo, newest first. Calling it again returns the same promise. */
  stop(): Promise<void>;
}

interface Undo {
  readonly name: string;
  readonly release: () => unknown | Promise<unknown>;
  readonly deadlineMs: number;
}

const DEFAULT_RELEASE_DEADLINE_MS = 10_000;

export function createReleaser(onFailure: (name: string, error: unknown) => void): Releaser {
  const stack: Undo[] = [];
  let stopping: Promise<void> | undefined;

  async function unwind(): Promise<void> {
    let failed = false;
    let firstFailure: unknown;
    for (let undo = stack.pop(); undo; undo = stack.pop()) {
      try {
        await withDeadline(Promise.resolve(undo.release()), undo.deadlineMs, `stopping ${undo.name}`);
      } catch (error) {
        onFailure(undo.name, error);
        if (!failed) firstFailure = error;
        failed = true;
      }
    }
    if (failed) throw firstFailure;
  }

  return {
    push(name, release, deadlineMs = DEFAULT_RELEASE_DEADLINE_MS) {
      if (stopping) throw new Error(`cannot open ${name}: already stopping`);
      stack.push({ name, release, deadlineMs });
    },
    stop() {
      stopping ??= unwind();
      return stopping;
    },
  };
}

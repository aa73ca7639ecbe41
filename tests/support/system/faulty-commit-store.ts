import { CommitError, type CommitFailure, type CommitStore } from '../../../engine/store/actor/commit-store.ts';

/**
 * Where the commit goes wrong:
 * - `before`: it is never sent.
 * - `during`: it is sent, and the answer is not waited for.
 * - `after`: it is carried out, and its answer is lost.
 */
export type FaultMoment = 'before' | 'during' | 'after';

export interface FaultyCommitStore {
  /** For EngineOptions.wrapCommitStore. */
  wrap(store: CommitStore): CommitStore;
  /** Makes the next commit fail at `moment`, with an unknown outcome unless another failure is named; called twice, the one behind it as well. */
  failNext(moment: FaultMoment, failure?: CommitFailure): void;
  /** Lets the next commit pass, before those that are to fail. */
  passNext(): void;
  /** The same for every `count`-th commit from now on. */
  failEvery(count: number, moment: FaultMoment): void;
  /** Keeps the next commits from being sent; `arrived` resolves when one waits. */
  hold(): HeldCommits;
  /** Commits that were asked for so far. */
  readonly commits: number;
}

export interface HeldCommits {
  readonly arrived: Promise<void>;
  /** Sends what waits, and lets later commits pass. */
  release(): void;
}

/** A commit store that stands before the real one and fails when it is told to. */
export function createFaultyCommitStore(): FaultyCommitStore {
  const planned: ({ readonly moment: FaultMoment; readonly failure: CommitFailure } | 'pass')[] = [];
  let rhythm: { readonly count: number; readonly moment: FaultMoment } | undefined;
  let gate: { readonly opened: Promise<void>; arrive(): void } | undefined;
  let commits = 0;

  return {
    wrap: (store) => ({
      async commit(parameters) {
        commits += 1;
        gate?.arrive();
        await gate?.opened;
        const due = rhythm && commits % rhythm.count === 0 ? { ...rhythm, failure: 'unknown' as const } : undefined;
        const armed = planned.shift() ?? due;
        if (!armed || armed === 'pass') return store.commit(parameters);
        const error = new CommitError(armed.failure, `planted ${armed.moment} the commit`);
        if (armed.moment === 'before') throw error;
        const sent = store.commit(parameters);
        // What becomes of it is for the engine to find out.
        if (armed.moment === 'during') sent.catch(() => {});
        else await sent;
        throw error;
      },
      stop: () => store.stop(),
    }),
    failNext(moment, failure = 'unknown') {
      planned.push({ moment, failure });
    },
    passNext() {
      planned.push('pass');
    },
    failEvery(count, moment) {
      rhythm = { count, moment };
    },
    hold() {
      const [arrived, opened] = [new Signal(), new Signal()];
      const held = { opened: opened.promise, arrive: arrived.give };
      gate = held;
      return {
        arrived: arrived.promise,
        release() {
          if (gate === held) gate = undefined;
          opened.give();
        },
      };
    },
    get commits() {
      return commits;
    },
  };
}

class Signal {
  give!: () => void;
  readonly promise = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}

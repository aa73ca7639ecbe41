import { CommitError, type CommitFailure, type CommitStore } from '../../../engine/store/actor/commit-store.ts';

/**
 * Where the commit fails:
 * - `before`: it is never sent.
 * - `during`: it is sent, and its answer is not awaited.
 * - `after`: it is carried out, and its answer is lost.
 */
export type FaultMoment = 'before' | 'during' | 'after';

export interface FaultyCommitStore {
  /** For EngineOptions.wrapCommitStore. */
  wrap(store: CommitStore): CommitStore;
  /**
   * Makes the next commit fail at `moment`, with an unknown outcome unless another failure is named. A second call also
   * fails the commit behind it.
   */
  failNext(moment: FaultMoment, failure?: CommitFailure): void;
  /** Passes the next commit, before those that fail. */
  passNext(): void;
  /** Makes every `count`-th commit fail from now on. */
  failEvery(count: number, moment: FaultMoment): void;
  /** Keeps the next commits from being sent; `arrived` resolves when one waits. */
  hold(): HeldCommits;
  /** The number of commits so far. */
  readonly commits: number;
}

export interface HeldCommits {
  readonly arrived: Promise<void>;
  /** Sends the waiting commits and passes later ones. */
  release(): void;
}

/** A commit store in front of the real one that fails on demand. */
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
        // The engine must find its outcome.
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

import { STRAIGHT_WAYS } from '../../../engine/domain/travel/known-ways.ts';
import { computeRound } from '../../../engine/planning/compute-round.ts';
import type { Scheduler } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { RoundRows, RoundTasks, SearchingOrganization } from '../../../engine/store/planning/round-store.ts';
import type { RoundTurnStore } from '../../../engine/store/planning/round-turn-store.ts';
import type { KnownPosition } from '../../../engine/store/positions/position-store.ts';
import { type AssignmentSettings, assignmentSettingsOf } from '../../../schema/assignment/assignment.ts';
import type { Answer } from '../../../schema/commands.ts';
import type { OwnerCommand } from '../../../schema/owner-command.ts';
import type { CallCouriers } from '../../../workers/assignment/couriers/book-couriers.ts';
import { RoundScheduler } from '../../../workers/assignment/round-scheduler.ts';
import { soughtTask } from '../sought-task.ts';

/** A scheduler of rounds whose time the test turns, with the news that it hears. */

export const START = 1_700_000_000_000;
const DONE: Answer = { ok: true, status: 200, data: 'null', sequence: 1 };

/** Time that the test turns by hand; each turn lets what has become due come to its end. */
export class HandTime {
  now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly task: () => void }>();
  readonly clock = { now: () => START + this.now, monotonic: () => this.now };
  readonly scheduler: Scheduler = {
    after: (delayMs, task) => {
      const timer = { at: this.now + delayMs, task };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    },
    every: () => () => {},
    soon: (task) => task(),
  };

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.now = due.at;
      due.task();
      await settle();
    }
    this.now = end;
  }
}

export const settle = () => new Promise((resolve) => setImmediate(resolve));

interface Round {
  readonly at: number;
  readonly organizationId: number;
  readonly wanted: RoundTasks;
}

export const ALWAYS: RoundTurnStore = { take: async () => 0, giveBack: async () => {} };

export function openRoundScheduler(
  read: (round: Round) => Promise<RoundRows> | RoundRows,
  turns = ALWAYS,
  positions: readonly KnownPosition[] = [],
  bookCouriers: CallCouriers = async () => new Set(),
) {
  const time = new HandTime();
  const rounds: Round[] = [];
  const asked: OwnerCommand[] = [];
  const answers: Answer[] = [];
  const forgotten: number[] = [];
  const scheduler = new RoundScheduler({
    store: {
      async readRound(organizationId, wanted) {
        const round = { at: time.now, organizationId, wanted };
        rounds.push(round);
        return read(round);
      },
      forget: (organizationId) => void forgotten.push(organizationId),
    },
    positions: { load: async () => positions },
    turns,
    planner: { plan: async (input) => computeRound(input) },
    travel: { ...STRAIGHT_WAYS, prepare: async () => null },
    bookCouriers,
    faultPoints: () => {},
    ask: async (_organizationId, command) => {
      asked.push(command);
      return answers.shift() ?? DONE;
    },
    clock: time.clock,
    scheduler: time.scheduler,
    log: createLog('test', 'silent'),
  });
  return { scheduler, time, rounds, asked, answers, forgotten, times: () => rounds.map(({ at }) => at) };
}

let lastSequence = 0;

/** As it is heard of after a commit. */
export function searching(organizationId: number, settings: Partial<AssignmentSettings> = {}): SearchingOrganization {
  lastSequence += 1;
  const all = { ...assignmentSettingsOf({}), batchingWindowMs: 500, ...settings };
  return { organizationId, lastSequence, quietMs: 0, endsInMs: null, settings: all };
}

/** A hint of a commit that may help searches. */
export function hint(scheduler: RoundScheduler, organization: SearchingOrganization): void {
  scheduler.noteHelpful([organization.organizationId]);
  scheduler.nudge([organization]);
}

export const NOBODY: RoundRows = { tasks: [soughtTask(1, START)], agents: [], carried: [], knowsCarried: true };

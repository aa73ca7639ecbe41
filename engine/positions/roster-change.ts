import type { ServiceTimes } from '../domain/stops/open-stops.ts';
import type { OpenTask, RosterAgent } from '../store/positions/roster-store.ts';

/** A task as a commit left it, with whose it is and was. */
export interface ChangedTask {
  readonly before: number | null;
  readonly agentId: number | null;
  readonly task: OpenTask;
}

/** The changes of agents and their tasks in a commit. */
export interface RosterChange {
  /** The places in the log before and behind the commit. */
  readonly expectedSequence: number;
  readonly lastSequence: number;
  readonly agents: readonly Omit<RosterAgent, 'openTasks'>[];
  readonly tasks: readonly ChangedTask[];
  /** The organization's service times from then on. */
  readonly services: ServiceTimes;
}

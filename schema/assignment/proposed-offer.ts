import type { FailureReason, PassedOverAgents } from './assignment.ts';

/** An agent to ask for a task. Several for the same task are a broadcast. */
export interface ProposedOffer {
  readonly taskId: number;
  readonly agentId: number;
  readonly score: number;
  readonly distanceM: number | null;
  readonly etaSeconds: number | null;
  /**
   * The agent's open tasks as the round saw them, with those before this one in the plan: an agent that has more was given
   * one meanwhile. Not there when the round did not see every task, or is one of a release that does not say.
   */
  readonly heldTasks?: number;
  /** How late it comes in the plan, where it cannot be on time. */
  readonly lateSeconds?: number;
}

/** A task that nobody is asked for in this round, and why. */
export interface LackingTask extends PassedOverAgents {
  readonly taskId: number;
  /** Null: somebody is meant for it, who is asked later. */
  readonly reason: FailureReason | null;
  /** Nobody who has not been asked can take it, however long it waits. */
  readonly isHopeless: boolean;
}

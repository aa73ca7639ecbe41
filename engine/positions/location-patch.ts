import type { LiveAgent } from './live-agent.ts';
import type { MovedAgents } from './moved-agents.ts';

/** Agents whose positions are encoded once a tick for all streams that show them together. */
export class LocationPatch {
  /** The agents that have moved in the patch, into it or out of it. */
  readonly pick: (moved: MovedAgents) => readonly LiveAgent[];
  /** Whether the agent is in the patch, by its place as streams have it. */
  readonly holds: (agent: LiveAgent) => boolean;
  /** Agents that streams missed while they were behind, with the tick in which they moved last; the oldest first. */
  readonly #missed = new Map<LiveAgent, number>();
  /** The tick in which the patch was looked at last, and the one in which agents were kept. */
  #enteredAt = 0;
  #keptAt = 0;
  /** The first tick that was missed by a stream which is still behind after this tick. */
  #oldest = Number.POSITIVE_INFINITY;

  constructor(pick: LocationPatch['pick'], holds: LocationPatch['holds']) {
    this.pick = pick;
    this.holds = holds;
  }

  /** The agents that streams missed before this tick. */
  missedBefore(moved: MovedAgents): Iterable<LiveAgent> {
    this.#enter(moved);
    return this.#missed.keys();
  }

  /** Keeps the moved agents for a stream that has been behind from a tick on. */
  keep(moved: MovedAgents, since: number): void {
    this.#enter(moved);
    this.#oldest = Math.min(this.#oldest, since);
    if (this.#keptAt === moved.tick) return;
    this.#keptAt = moved.tick;
    for (const agent of this.pick(moved)) {
      this.#missed.delete(agent);
      this.#missed.set(agent, moved.tick);
    }
  }

  /** Drops what all streams have by now. */
  #enter({ tick: now }: MovedAgents): void {
    if (this.#enteredAt === now) return;
    this.#enteredAt = now;
    for (const [agent, tick] of this.#missed) {
      if (tick >= this.#oldest) break;
      this.#missed.delete(agent);
    }
    this.#oldest = Number.POSITIVE_INFINITY;
  }

  /** No stream that shows the patch is behind any more. */
  forget(): void {
    this.#missed.clear();
  }
}

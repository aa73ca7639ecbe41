import type { ServiceTimes } from '../../domain/stops/open-stops.ts';
import { isPrecise } from '../../domain/travel/arrival.ts';
import type { WaySource } from '../../domain/travel/known-ways.ts';
import { isStale } from '../../domain/travel/location-rule.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { AgentOnRoad } from '../agent-on-road.ts';
import { ArrivalWatch } from './arrival-watch.ts';
import { EtaWatch } from './eta-watch.ts';
import { NoteSender, type NoteSenderOptions } from './note-sender.ts';
import { WatchedAgent } from './watched-agent.ts';

export interface AgentWatchOptions extends NoteSenderOptions {
  readonly clock: Clock;
  /** The ways of the planner. */
  readonly travel: WaySource;
}

/** The agents of one organization to which something has happened since the last tick. */
export interface AgentsOfTick {
  readonly organizationId: number;
  readonly services: ServiceTimes;
  /** Have moved: every one, some, or none. */
  readonly moved: readonly AgentOnRoad[];
  /** Have other open tasks than before. The watch empties it; where a message could not be sent, the agent comes back for the next tick. */
  readonly replanned: Set<AgentOnRoad>;
}

export interface AgentWatch {
  /** `nowMs`: wall clock. It only asks; the results are in the organization's log. */
  onTick(agents: AgentsOfTick, nowMs: number): void;
  /** The stops of others that the agent has before a task; undefined while that is not known. */
  stopsBefore(agent: AgentOnRoad, taskId: number): number | undefined;
}

/**
 * Watches agents on the way to the places of their tasks, and sends commands to their actors. Its memory only steers it:
 * the actors judge again, and their records make an arrival single, also after a crash or beside another process.
 */
export function createAgentWatch({ clock, log, ask, travel }: AgentWatchOptions): AgentWatch {
  const sender = new NoteSender({ ask, log });
  const arrivals = new ArrivalWatch(sender, log);
  /** They are forgotten with their agents. */
  const watched = new WeakMap<AgentOnRoad, WatchedAgent>();
  const follow = (one: WatchedAgent) => arrivals.forget(one.follow());
  const etas = new EtaWatch({ sender, follow, travel });

  function followed(organizationId: number, agent: AgentOnRoad): WatchedAgent {
    let known = watched.get(agent);
    if (!known) {
      known = new WatchedAgent(organizationId, agent);
      watched.set(agent, known);
    }
    follow(known);
    return known;
  }

  return {
    stopsBefore: (agent, taskId) => watched.get(agent)?.stopsBefore(taskId),
    onTick({ organizationId, services, moved, replanned }, nowMs) {
      const now = clock.monotonic();
      const changed = [...replanned];
      replanned.clear();
      arrivals.tellAgain(now);
      const due = new Set<WatchedAgent>();
      // First, because some of them had no room before.
      for (const agent of changed) {
        if (!isTelling(agent, nowMs)) {
          watched.get(agent)?.expectAtNextPoint();
          continue;
        }
        const one = followed(organizationId, agent);
        // It may be where its new task leads.
        arrivals.see(one, now);
        due.add(one);
      }
      for (const agent of moved) {
        if (!isTelling(agent, nowMs)) continue;
        const one = followed(organizationId, agent);
        arrivals.see(one, now);
        if (now >= one.nextEtaAt) due.add(one);
      }
      if (due.size > 0) etas.expect({ organizationId, services, replanned }, [...due], now, nowMs);
    },
  };
}

/** Whether where the agent is says anything about its tasks. One that was only heard of, without a point, is nowhere yet. */
function isTelling(agent: AgentOnRoad, nowMs: number): boolean {
  return agent.openTasks.size > 0 && agent.isSomewhere && isPrecise(agent) && !isStale(agent, nowMs);
}

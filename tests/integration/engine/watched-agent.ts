import { STRAIGHT_WAYS } from '../../../engine/domain/travel/known-ways.ts';
import type { Engine } from '../../../engine/org/start-engine.ts';
import type { AgentOnRoad } from '../../../engine/positions/agent-on-road.ts';
import { LiveAgent } from '../../../engine/positions/live-agent.ts';
import { createAgentWatch } from '../../../engine/positions/watch/agent-watch.ts';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { OpenTask } from '../../../engine/store/positions/roster-store.ts';
import { openTaskOf } from '../../support/services/open-task.ts';

/** Where the tasks of these tests are delivered. */
export const PLACE = { latitude: 52.5, longitude: 13.4 } as const;
const DEGREES_PER_METER = 1 / 111_195;

export interface WatchedTask {
  readonly organizationId: number;
  readonly taskId: number;
  readonly agentId: number;
}

export interface WatchedAgent {
  /** The agent is so many metres from the place, now. A speed of 0: it stands. */
  reports(away: number, speed?: number): void;
  /** As the roster would have it. */
  becomes(fields: Partial<OpenTask>): void;
  /** Resolves when every command has its answer. */
  settled(): Promise<void>;
}

/** An agent with one task in transit, and a watch of its own that tells the engine. */
export function watchAgent(engine: Engine, { organizationId, taskId, agentId }: WatchedTask): WatchedAgent {
  const asked = new Set<Promise<unknown>>();
  const watch = createAgentWatch({
    ask(id, command) {
      const answer = engine.ask(id, command);
      asked.add(answer);
      return answer;
    },
    clock: systemClock,
    travel: STRAIGHT_WAYS,
    log: createLog('engine', 'silent'),
  });
  let task = openTaskOf({ taskId, ...PLACE });
  const agent = new LiveAgent(agentId);
  agent.vehicleType = 'car';
  agent.openTasks.set(taskId, task);
  const services = { pickupServiceMs: 0, dropoffServiceMs: 0 };
  const replanned = new Set<AgentOnRoad>();
  return {
    reports(away, speed = Number.NaN) {
      const nowMs = systemClock.now();
      const times = { recordedAtMs: nowMs, receivedAtMs: nowMs };
      const latitude = PLACE.latitude + away * DEGREES_PER_METER;
      Object.assign(agent, { latitude, longitude: PLACE.longitude, accuracy: 5, speed, ...times });
      watch.onTick({ organizationId, services, moved: [agent], replanned }, nowMs);
    },
    becomes(fields) {
      task = { ...task, ...fields };
      agent.openTasks.set(taskId, task);
    },
    async settled() {
      await Promise.all(asked);
    },
  };
}

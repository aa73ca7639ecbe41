import { STRAIGHT_WAYS, type WaySource } from '../../../engine/domain/travel/known-ways.ts';
import type { AgentOnRoad, LivePosition } from '../../../engine/positions/agent-on-road.ts';
import { LiveAgent } from '../../../engine/positions/live-agent.ts';
import { createAgentWatch } from '../../../engine/positions/watch/agent-watch.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { OpenTask } from '../../../engine/store/positions/roster-store.ts';
import type { Answer, NoteArrival, NoteEta } from '../../../schema/commands.ts';
import { type ErrorCode, refusal } from '../../../schema/errors.ts';
import { openTaskOf } from '../../support/services/open-task.ts';

export const ORGANIZATION = 1;
export const PLACE = { latitude: 52.5, longitude: 13.4 };
export const DEGREES_PER_METER = 1 / 111_195;
export const START = Date.parse('2031-05-01T12:00:00.000Z');
const SERVICES = { pickupServiceMs: 120_000, dropoffServiceMs: 180_000 };
export const OK: Answer = { ok: true, status: 200, data: '{}', sequence: 1 };
export const refusedWith = (code: ErrorCode): Answer => ({ ok: false, refusal: refusal(code) });

export function openTask(fields: Partial<OpenTask> = {}): OpenTask {
  return openTaskOf({ taskId: 10, ...PLACE, assignedAt: '2031-05-01T11:00:00.000Z', ...fields });
}

export function agentWith(...tasks: OpenTask[]): LiveAgent {
  const agent = new LiveAgent(7);
  agent.vehicleType = 'car';
  for (const task of tasks) agent.openTasks.set(task.taskId, task);
  return agent;
}

export interface Asked {
  readonly organizationId: number;
  readonly command: NoteArrival | NoteEta;
  answer(answer: Answer): Promise<void>;
}

/** A watch whose actor and clock are in the test's hands. */
export class Scene {
  nowMs = START;
  readonly asked: Asked[] = [];
  readonly replanned = new Set<AgentOnRoad>();
  readonly #watch;

  constructor(travel: WaySource = STRAIGHT_WAYS) {
    this.#watch = createAgentWatch({
      travel,
      ask: (organizationId, command) =>
        new Promise((resolve) => {
          const answer = async (given: Answer) => {
            resolve(given);
            await new Promise((done) => setImmediate(done));
          };
          this.asked.push({ organizationId, command, answer });
        }),
      clock: { now: () => this.nowMs, monotonic: () => this.nowMs - START + 5_000 },
      log: createLog('engine', 'silent'),
    });
  }

  /** A second later the agent is so many metres from the place; nobody has moved without one. */
  tick(agent?: LiveAgent, away = 0, point: Partial<LivePosition> = {}): void {
    this.tickAll(agent ? [agent] : [], away, point);
  }

  tickAll(agents: readonly LiveAgent[], away = 0, point: Partial<LivePosition> = {}): void {
    this.nowMs += 1_000;
    for (const agent of agents) {
      const latitude = PLACE.latitude + away * DEGREES_PER_METER;
      const unsaid = { accuracy: 5, speed: Number.NaN };
      const times = { recordedAtMs: this.nowMs, receivedAtMs: this.nowMs };
      Object.assign(agent, { latitude, longitude: PLACE.longitude, ...unsaid, ...times, ...point });
    }
    this.#onTick(agents);
  }

  /** A second later the agent has these tasks, and has not moved. */
  replan(agent: LiveAgent, ...tasks: OpenTask[]): void {
    this.nowMs += 1_000;
    agent.openTasks.clear();
    for (const task of tasks) agent.openTasks.set(task.taskId, task);
    this.replanned.add(agent);
    this.#onTick([]);
  }

  #onTick(moved: readonly LiveAgent[]): void {
    this.#watch.onTick(
      { organizationId: ORGANIZATION, services: SERVICES, moved, replanned: this.replanned },
      this.nowMs,
    );
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  kinds(): string[] {
    return this.asked.map(({ command }) => command.kind);
  }

  last(): Asked {
    return this.asked.at(-1)!;
  }
}

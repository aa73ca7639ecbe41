import { cellAt } from '../domain/travel/geo-grid.ts';
import type { LiveAgent } from './live-agent.ts';

/** The agents that moved in one tick, found by what streams ask for. Each lookup costs what it finds. */
export class MovedAgents {
  /** Counts the ticks of an organization. */
  readonly tick: number;
  readonly agents: readonly LiveAgent[];
  readonly #byCell = new Map<number, Map<number, LiveAgent[]>>();
  #byId: Map<number, LiveAgent> | undefined;
  #byTask: Map<number, LiveAgent> | undefined;

  /** Settles the places that streams get. */
  constructor(tick: number, agents: readonly LiveAgent[]) {
    this.tick = tick;
    this.agents = agents;
    noteTold(agents);
  }

  withId(agentId: number): LiveAgent | undefined {
    this.#byId ??= new Map(this.agents.map((agent) => [agent.agentId, agent]));
    return this.#byId.get(agentId);
  }

  /** The agent who has that task open. */
  withTask(taskId: number): LiveAgent | undefined {
    this.#byTask ??= new Map(
      this.agents.flatMap((agent) => [...agent.openTasks.keys()].map((id) => [id, agent] as const)),
    );
    return this.#byTask.get(taskId);
  }

  /** The agents that are in the cell, or have just left it. */
  inCell(level: number, cell: number): readonly LiveAgent[] {
    return this.#byCell.get(level)?.get(cell) ?? [];
  }

  /** Puts an agent into its cells, if streams show them. False when it is in none. */
  place(agent: LiveAgent, shown: ReadonlyMap<number, ReadonlyMap<number, unknown>>): boolean {
    let isShown = false;
    for (const [level, cells] of shown) {
      const now = cellAt(level, agent.toldLatitude, agent.toldLongitude);
      const before = cellAt(level, agent.earlierLatitude, agent.earlierLongitude);
      if (cells.has(now)) isShown = this.#put(level, now, agent);
      if (before !== now && cells.has(before)) isShown = this.#put(level, before, agent);
    }
    return isShown;
  }

  #put(level: number, cell: number, agent: LiveAgent): true {
    const cells = this.#byCell.get(level) ?? new Map<number, LiveAgent[]>();
    this.#byCell.set(level, cells);
    const known = cells.get(cell);
    if (known) known.push(agent);
    else cells.set(cell, [agent]);
    return true;
  }
}

/** Settles the places that streams get, whether there are streams or not. */
export function noteTold(agents: readonly LiveAgent[]): void {
  for (const agent of agents) {
    agent.earlierLatitude = agent.toldLatitude;
    agent.earlierLongitude = agent.toldLongitude;
    agent.toldLatitude = agent.latitude;
    agent.toldLongitude = agent.longitude;
  }
}

import type { BoundingBox } from '../../schema/fleet/position.ts';
import { isInBox } from '../domain/bounding-box.ts';
import { areaOf, cellAt, cellsOf, type GridArea, hasCell } from '../domain/travel/geo-grid.ts';
import type { LiveAgent } from './live-agent.ts';
import { LocationPatch } from './location-patch.ts';
import type { MovedAgents } from './moved-agents.ts';

/** The agents that a stream shows: those that meet every condition. */
export interface LocationFilter {
  /** Alone it is rounded outward to cells of a grid; beside ids it is exact. */
  readonly bbox?: BoundingBox | undefined;
  readonly agentIds?: readonly number[] | undefined;
  /** Agents who have one of these tasks open. */
  readonly taskIds?: readonly number[] | undefined;
}

export interface LocationListener {
  /** Whether it could take a frame now. A slow stream gets a later frame, with the newest positions of then. */
  isReady(): boolean;
  /** A message in pieces, which other streams hold as well. */
  onFrame(pieces: readonly Buffer[]): void;
}

export interface Subscriber {
  readonly listener: LocationListener;
  /** The first tick that it missed while it was behind. */
  behindSince: number | undefined;
}

/** Subscribers that show the same agents: they share every message. */
export interface LocationAudience {
  readonly patches: readonly LocationPatch[];
  /** Whether the agent is in one of the patches, by its place as streams have it. */
  readonly holds: (agent: LiveAgent) => boolean;
  readonly subscribers: Set<Subscriber>;
  readonly close: () => void;
}

interface SharedPatch {
  readonly patch: LocationPatch;
  users: number;
}

/** The audiences of one organization. Boxes that touch a cell of the grid share its patch. */
export class LocationAudiences {
  readonly #open = new Map<string, LocationAudience>();
  /** By level and cell. */
  readonly #cells = new Map<number, Map<number, SharedPatch>>();
  #withAll = 0;

  get size(): number {
    return this.#open.size;
  }

  /** Whether somebody shows every agent. */
  get showAll(): boolean {
    return this.#withAll > 0;
  }

  /** The cells that somebody shows, by level. */
  get shownCells(): ReadonlyMap<number, ReadonlyMap<number, unknown>> {
    return this.#cells;
  }

  [Symbol.iterator](): Iterator<LocationAudience> {
    return this.#open.values();
  }

  /** The returned function ends it. */
  join(filter: LocationFilter, listener: LocationListener): () => void {
    const area = filter.bbox && !filter.agentIds && !filter.taskIds ? areaOf(filter.bbox) : undefined;
    const key = area ? JSON.stringify(area) : keyOf(filter);
    const audience = this.#open.get(key) ?? (area ? this.#openArea(area) : this.#openList(filter));
    this.#open.set(key, audience);
    const subscriber: Subscriber = { listener, behindSince: undefined };
    audience.subscribers.add(subscriber);
    return () => {
      if (!audience.subscribers.delete(subscriber) || audience.subscribers.size > 0) return;
      this.#open.delete(key);
      audience.close();
    };
  }

  #openList(filter: LocationFilter): LocationAudience {
    const patch = new LocationPatch(pickBy(filter), () => true);
    const all = filter.agentIds || filter.taskIds ? 0 : 1;
    this.#withAll += all;
    return {
      patches: [patch],
      holds: patch.holds,
      subscribers: new Set(),
      close: () => {
        this.#withAll -= all;
      },
    };
  }

  #openArea(area: GridArea): LocationAudience {
    const { level } = area;
    const cells = this.#cells.get(level) ?? new Map<number, SharedPatch>();
    this.#cells.set(level, cells);
    const patches: LocationPatch[] = [];
    for (const cell of cellsOf(area)) {
      const shared = cells.get(cell) ?? { patch: cellPatch(level, cell), users: 0 };
      cells.set(cell, shared);
      shared.users += 1;
      patches.push(shared.patch);
    }
    return {
      patches,
      holds: ({ toldLatitude, toldLongitude }) => hasCell(area, cellAt(level, toldLatitude, toldLongitude)),
      subscribers: new Set(),
      close: () => this.#closeArea(area, cells),
    };
  }

  #closeArea(area: GridArea, cells: Map<number, SharedPatch>): void {
    for (const cell of cellsOf(area)) {
      const shared = cells.get(cell)!;
      shared.users -= 1;
      if (shared.users === 0) cells.delete(cell);
    }
    if (cells.size === 0) this.#cells.delete(area.level);
  }
}

function cellPatch(level: number, cell: number): LocationPatch {
  return new LocationPatch(
    (moved) => moved.inCell(level, cell),
    ({ toldLatitude, toldLongitude }) => cellAt(level, toldLatitude, toldLongitude) === cell,
  );
}

/** Costs what is asked for, not how many have moved. */
function pickBy({ bbox, agentIds, taskIds }: LocationFilter): (moved: MovedAgents) => readonly LiveAgent[] {
  const ids = agentIds && [...new Set(agentIds)];
  const tasks = taskIds && new Set(taskIds);
  if (!ids && !tasks) return ({ agents }) => agents;
  return (moved) => {
    const asked = ids
      ? ids.flatMap((id) => moved.withId(id) ?? []).filter((agent) => hasOneOf(agent, tasks))
      : [...new Set([...tasks!].flatMap((id) => moved.withTask(id) ?? []))];
    return bbox ? asked.filter((agent) => isOrWasIn(agent, bbox)) : asked;
  };
}

function hasOneOf({ openTasks }: LiveAgent, tasks: ReadonlySet<number> | undefined): boolean {
  if (!tasks) return true;
  for (const taskId of openTasks.keys()) if (tasks.has(taskId)) return true;
  return false;
}

/** An agent that has left is sent once more: otherwise it would stand at the edge for ever. */
function isOrWasIn(agent: LiveAgent, box: BoundingBox): boolean {
  const { toldLatitude, toldLongitude, earlierLatitude, earlierLongitude } = agent;
  return isInBox(box, toldLatitude, toldLongitude) || isInBox(box, earlierLatitude, earlierLongitude);
}

function keyOf({ bbox, agentIds, taskIds }: LocationFilter): string {
  const ids = (list: readonly number[] | undefined) => (list ? [...new Set(list)].sort((a, b) => a - b) : null);
  const box = bbox ? [bbox.west, bbox.south, bbox.east, bbox.north] : null;
  return JSON.stringify([box, ids(agentIds), ids(taskIds)]);
}

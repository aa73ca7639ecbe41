import type { Answer, Command } from '../../schema/commands.ts';
import { STRAIGHT_WAYS, type WaySource } from '../domain/travel/known-ways.ts';
import { Positions } from '../positions/positions.ts';
import { TrailBuffer } from '../positions/trail-buffer.ts';
import { createAgentWatch } from '../positions/watch/agent-watch.ts';
import type { Clock, Scheduler } from '../runtime/clock.ts';
import type { Releaser } from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import { shardOf } from '../runtime/shard-of.ts';
import type { PositionStore } from '../store/positions/position-store.ts';
import { readRoster } from '../store/positions/roster-store.ts';
import { createTrailStore } from '../store/positions/trail-store.ts';
import type { Sql } from '../store/postgres.ts';
import type { ActorServices } from './actor/org-actor.ts';
import { changesWork, rosterChangeOf } from './roster-changes.ts';

export interface PositionsParts {
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly releaser: Releaser;
  /** See EngineOptions. */
  readonly openPositionStore?: (history: string) => PositionStore;
  readonly travel?: WaySource;
}

export interface OpenedPositions {
  readonly positions: Positions;
  readonly trail: TrailBuffer;
  /** Call it with the commits of actors. */
  readonly onChanged: ActorServices['onChanged'];
  /** Call it with shards that were gained or lost: the knowledge of their organizations may be old. */
  readonly onMoved: (shards: ReadonlySet<number>) => void;
}

/** Where positions go when nobody has said where they are kept. */
const NOWHERE: PositionStore = {
  save: () => Promise.resolve(Number.POSITIVE_INFINITY),
  load: () => Promise.resolve([]),
  forget: () => Promise.resolve(),
};

/** Puts together what knows where agents are, and pushes its undo on the releaser: the trail is written last. */
export function openPositions(
  { databaseUrl, clock, scheduler, log, releaser, openPositionStore, travel = STRAIGHT_WAYS }: PositionsParts,
  history: string,
  reads: Sql,
  ask: (organizationId: number, command: Command) => Promise<Answer>,
): OpenedPositions {
  const trail = new TrailBuffer({ store: createTrailStore(databaseUrl), clock, scheduler, log });
  releaser.push('trail', () => trail.stop());
  const positions = new Positions({
    store: openPositionStore?.(history) ?? NOWHERE,
    readRoster: (organizationId) => readRoster(reads, organizationId),
    noteTrail: trail.note,
    watch: createAgentWatch({ ask, clock, log, travel }),
    clock,
    scheduler,
    log,
  });
  releaser.push('positions', () => positions.stop());
  return {
    positions,
    trail,
    onMoved: (shards) => positions.drop((organizationId) => shards.has(shardOf(organizationId))),
    onChanged(batch, state) {
      const { organizationId } = batch;
      if (batch.tombstone) return positions.forget(organizationId);
      if (positions.isOpen(organizationId) || changesWork(batch))
        positions.changed(organizationId, rosterChangeOf(batch, state));
    },
  };
}

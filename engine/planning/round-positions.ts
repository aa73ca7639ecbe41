import { LIMITS } from '../../schema/limits.ts';
import { isFromFuture } from '../domain/travel/location-rule.ts';
import type { Clock } from '../runtime/clock.ts';
import { withDeadline } from '../runtime/deadline.ts';
import type { Log } from '../runtime/log.ts';
import { createOutage } from '../runtime/outage.ts';
import type { KnownPosition, PositionStore } from '../store/positions/position-store.ts';

export interface RoundPositionsOptions {
  readonly kept: Pick<PositionStore, 'load'>;
  /**
   * The positions in the memory of the organization's owner; undefined when no process says that it has them. Rejects
   * when the owner does not answer.
   */
  readonly held: (organizationId: number) => Promise<readonly KnownPosition[] | undefined>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Where the agents of an organization are. */
export interface RoundPositions {
  load(organizationId: number): Promise<readonly KnownPosition[]>;
}

/**
 * The positions of a round: the newest of each agent, of those that the owner holds and those that Redis keeps. The owner
 * holds every point that it has answered, which reaches Redis a second later. Redis has the last points of the owner before,
 * also when those came after the present owner had read it. While Redis is away the owner's count alone. Rejects when
 * the owner does not answer, or neither of the two says anything.
 */
export function createRoundPositions({ kept, held, clock, log }: RoundPositionsOptions): RoundPositions {
  const outage = createOutage(log, 'reading positions from Redis for a round');

  async function loadKept(organizationId: number): Promise<readonly KnownPosition[] | undefined> {
    try {
      const loading = kept.load(organizationId);
      const loaded = await withDeadline(loading, LIMITS.roundPositionsMs, 'reading positions from Redis');
      outage.worked();
      return loaded;
    } catch (error) {
      outage.failed(error);
      return undefined;
    }
  }

  return {
    async load(organizationId) {
      const holding = withDeadline(held(organizationId), LIMITS.roundPositionsMs, 'asking the owner for positions');
      const [ofOwner, ofRedis] = await Promise.all([holding, loadKept(organizationId)]);
      if (!ofOwner && !ofRedis) throw new Error('neither the owner nor Redis says where agents are');
      return newestOf(ofRedis ?? [], ofOwner ?? [], clock.now());
    },
  };
}

function newestOf(kept: readonly KnownPosition[], held: readonly KnownPosition[], nowMs: number) {
  if (kept.length === 0) return held;
  const newest = new Map(kept.map((position) => [position.agentId, position]));
  for (const position of held) {
    const known = newest.get(position.agentId);
    newest.set(position.agentId, known ? newer(known, position, nowMs) : position);
  }
  return [...newest.values()];
}

/**
 * The agent is where it was recorded last, and was heard of when anybody heard of it last. A kept position from the future
 * is of a clock that was set back since, and says neither: the owner has a point of after that, which Redis may lack yet.
 */
function newer(kept: KnownPosition, held: KnownPosition, nowMs: number): KnownPosition {
  if (isFromFuture(kept, nowMs) && !isFromFuture(held, nowMs)) return held;
  const newest = held.recordedAtMs >= kept.recordedAtMs ? held : kept;
  const heardAtMs = Math.max(kept.heardAtMs, held.heardAtMs);
  if (newest.heardAtMs === heardAtMs) return newest;
  const { agentId, latitude, longitude, recordedAtMs } = newest;
  return { agentId, latitude, longitude, recordedAtMs, heardAtMs };
}

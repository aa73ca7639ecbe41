import type { DevicePoint } from '../../../schema/fleet/position.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import type { Redis } from '../redis.ts';
import type { RedisKeys } from '../redis-keys.ts';

/** Where an agent was when its position was kept. */
export interface SavedPosition extends DevicePoint {
  readonly receivedAtMs: number;
  /** The agent's last report that it was still there; 0 for never. */
  readonly heardAtMs: number;
}

/** The part of a position that rounds need. */
export type KnownPosition = Pick<SavedPosition, 'agentId' | 'latitude' | 'longitude' | 'recordedAtMs' | 'heardAtMs'>;

/** Positions of agents in Redis, for processes that start. All methods reject while Redis is away. */
export interface PositionStore {
  /**
   * Keeps positions as they are at the time of the call, except over a later one, unless that is from the future: the
   * clock has been set back since. Announces on the channel of moves if there were any. Resolves to the number of kept
   * positions of the organization. At most LIMITS.positionsPerStep, and at least one.
   */
  save(organizationId: number, positions: readonly SavedPosition[]): Promise<number>;
  load(organizationId: number): Promise<SavedPosition[]>;
  forget(organizationId: number): Promise<void>;
}

/**
 * ARGV: how long the hash lives, the channel of moves, the organization, `<agent id>=<position>;…`, and after when is the
 * future; a position starts with its two times, recorded and received. A process that no longer owns the organization can
 * do no harm with its old positions.
 */
const SAVE = `
local key = KEYS[1]
local ids, positions, future = {}, {}, tonumber(ARGV[5])
for id, position in string.gmatch(ARGV[4], '(%d+)=([^;]+)') do
  ids[#ids + 1] = id
  positions[#positions + 1] = position
end
local function isNewer(position, kept)
  if not kept then return true end
  local keptAt, keptHeard = string.match(kept, '^(%d+),(%d+)')
  local at, heard = string.match(position, '^(%d+),(%d+)')
  keptAt, at = tonumber(keptAt), tonumber(at)
  if keptAt > future and at <= future then return true end
  return at > keptAt or (at == keptAt and tonumber(heard) > tonumber(keptHeard))
end
local newer = {}
for i, kept in ipairs(redis.call('HMGET', key, unpack(ids))) do
  if isNewer(positions[i], kept) then
    newer[#newer + 1] = ids[i]
    newer[#newer + 1] = positions[i]
  end
end
if #newer > 0 then
  redis.call('HSET', key, unpack(newer))
  redis.call('PUBLISH', ARGV[2], ARGV[3])
end
redis.call('PEXPIRE', key, ARGV[1])
return redis.call('HLEN', key)`;

interface WithSave {
  dispatchSavePositions(
    key: string,
    keptMs: number,
    channel: string,
    organizationId: number,
    positions: string,
    futureMs: number,
  ): Promise<number>;
}

export function createPositionStore(
  redis: Redis,
  keys: Pick<RedisKeys, 'positions' | 'moved'>,
  clock: Pick<Clock, 'now'> = systemClock,
): PositionStore {
  redis.defineCommand('dispatchSavePositions', { numberOfKeys: 1, lua: SAVE });
  const scripted = redis as unknown as WithSave;
  return {
    save(organizationId, positions) {
      // One text: the client processes each argument by itself, several times.
      let text = '';
      for (const position of positions) text += `${position.agentId}=${encode(position)};`;
      return scripted.dispatchSavePositions(
        keys.positions(organizationId),
        LIMITS.positionsKeptMs,
        keys.moved,
        organizationId,
        text,
        clock.now() + LIMITS.pointFutureMs,
      );
    },
    async load(organizationId) {
      const kept = await redis.hgetall(keys.positions(organizationId));
      return Object.entries(kept).map(([agentId, text]) => decode(Number(agentId), text));
    },
    async forget(organizationId) {
      await redis.del(keys.positions(organizationId));
    },
  };
}

function encode(position: SavedPosition): string {
  const { recordedAtMs, receivedAtMs, heardAtMs, latitude, longitude } = position;
  const { accuracy, speed, heading, altitude, battery } = position;
  return `${recordedAtMs},${receivedAtMs},${heardAtMs},${latitude},${longitude},${accuracy},${speed},${heading},${altitude},${battery}`;
}

function decode(agentId: number, text: string): SavedPosition {
  const [recordedAtMs, receivedAtMs, heardAtMs, latitude, longitude, ...rest] = text.split(',').map(Number) as Ten;
  const [accuracy, speed, heading, altitude, battery] = rest;
  const times = { recordedAtMs, receivedAtMs, heardAtMs };
  return { agentId, ...times, latitude, longitude, accuracy, speed, heading, altitude, battery };
}

type Ten = [number, number, number, number, number, number, number, number, number, number];

import { LIMITS } from '../../schema/limits.ts';
import type { DevicePoint } from '../../schema/position.ts';
import type { Redis } from './redis.ts';
import type { RedisKeys } from './redis-keys.ts';

/** Where an agent was when its position was kept. */
export interface SavedPosition extends DevicePoint {
  readonly receivedAtMs: number;
  /** When the agent said last that it was still there; 0 for never. */
  readonly heardAtMs: number;
}

/** Where agents are, kept in Redis so that a process that starts knows it at once. All reject while Redis is away. */
export interface PositionStore {
  /** Keeps positions, but none over one recorded later; resolves to how many of the organization are kept then. */
  save(organizationId: number, positions: readonly SavedPosition[]): Promise<number>;
  load(organizationId: number): Promise<SavedPosition[]>;
  forget(organizationId: number): Promise<void>;
}

/**
 * ARGV: how long the hash lives, then agent ids with their positions in turn, which begin with when they were recorded
 * and when they were received. A process that no longer owns the organization can do no harm with what it had.
 */
const SAVE = `
local key = KEYS[1]
for i = 2, #ARGV, 2 do
  local kept = redis.call('HGET', key, ARGV[i])
  local isNewer = true
  if kept then
    local keptAt, keptHeard = string.match(kept, '^(%d+),(%d+)')
    local at, heard = string.match(ARGV[i + 1], '^(%d+),(%d+)')
    keptAt, at = tonumber(keptAt), tonumber(at)
    isNewer = at > keptAt or (at == keptAt and tonumber(heard) > tonumber(keptHeard))
  end
  if isNewer then redis.call('HSET', key, ARGV[i], ARGV[i + 1]) end
end
redis.call('PEXPIRE', key, ARGV[1])
return redis.call('HLEN', key)`;

interface WithSave {
  dispatchSavePositions(key: string, ...values: (string | number)[]): Promise<number>;
}

export function createPositionStore(redis: Redis, keys: Pick<RedisKeys, 'positions'>): PositionStore {
  redis.defineCommand('dispatchSavePositions', { numberOfKeys: 1, lua: SAVE });
  const scripted = redis as unknown as WithSave;
  return {
    save(organizationId, positions) {
      const values: (string | number)[] = [LIMITS.positionsKeptMs];
      for (const position of positions) values.push(position.agentId, encode(position));
      return scripted.dispatchSavePositions(keys.positions(organizationId), ...values);
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

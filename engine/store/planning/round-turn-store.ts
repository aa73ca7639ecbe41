import type { Redis } from '../redis.ts';
import type { RedisKeys } from '../redis-keys.ts';

/**
 * Turns to plan an organization, so that processes do not all plan the same one. All methods reject while Redis is
 * away.
 */
export interface RoundTurnStore {
  /**
   * Returns 0 when the turn is ours; it ends by itself after `ms`. Otherwise returns the milliseconds after which
   * another process's turn ends by itself, even if that process is dead. A lost turn costs a second round.
   */
  take(organizationId: number, ms: number): Promise<number>;
  /** Ends the turn, if it is still ours. */
  giveBack(organizationId: number): Promise<void>;
}

/** ARGV: the holder that gives it back. */
const GIVE_BACK = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

interface WithGiveBack {
  dispatchGiveBackTurn(key: string, holder: string): Promise<null>;
}

/** `holder`: of this process alone. */
export function createRoundTurnStore(redis: Redis, keys: Pick<RedisKeys, 'roundTurn'>, holder: string): RoundTurnStore {
  redis.defineCommand('dispatchGiveBackTurn', { numberOfKeys: 1, lua: GIVE_BACK });
  const scripted = redis as unknown as WithGiveBack;
  return {
    async take(organizationId, ms) {
      const key = keys.roundTurn(organizationId);
      if ((await redis.set(key, holder, 'PX', ms, 'NX')) === 'OK') return 0;
      // Negative once it has ended.
      return Math.max(1, await redis.pttl(key));
    },
    async giveBack(organizationId) {
      await scripted.dispatchGiveBackTurn(keys.roundTurn(organizationId), holder);
    },
  };
}

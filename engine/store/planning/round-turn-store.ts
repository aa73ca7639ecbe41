import type { Redis } from '../redis.ts';
import type { RedisKeys } from '../redis-keys.ts';

/** Whose turn it is to plan an organization, so that processes do not all plan the same. All reject while Redis is away. */
export interface RoundTurnStore {
  /**
   * 0: the turn is ours, and ends by itself after `ms`. Otherwise somebody else's ends by itself after so many milliseconds,
   * whatever has become of that one. A turn that is lost costs a round twice.
   */
  take(organizationId: number, ms: number): Promise<number>;
  /** Ends the turn, if it is still ours. */
  giveBack(organizationId: number): Promise<void>;
}

/** ARGV: who gives it back. */
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

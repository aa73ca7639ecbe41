import type { Redis } from './redis.ts';
import type { RedisKeys } from './redis-keys.ts';

/** Whose turn it is to plan an organization, so that processes do not all plan the same. All reject while Redis is away. */
export interface RoundTurnStore {
  /** False while somebody else has the turn; it ends by itself after `ms`. A turn that is lost costs a round twice. */
  take(organizationId: number, ms: number): Promise<boolean>;
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
      return (await redis.set(keys.roundTurn(organizationId), holder, 'PX', ms, 'NX')) === 'OK';
    },
    async giveBack(organizationId) {
      await scripted.dispatchGiveBackTurn(keys.roundTurn(organizationId), holder);
    },
  };
}

import { LIMITS } from '../../../schema/limits.ts';
import { hashSecret, newSecret } from '../../runtime/secrets.ts';
import type { Redis } from '../redis.ts';
import type { RedisKeys } from '../redis-keys.ts';

/** What a stream may be opened with instead of a credential: who asked for it, in which organization. */
export interface StreamGrant {
  /** SHA-256 of the key or access token that it was asked for with, hex. */
  readonly credentialHash: string;
  readonly organizationId: number;
}

/** One-use credentials for streams, known by their hashes. Both reject while Redis is away. */
export interface StreamTokenStore {
  /** Good for `streamTokenMs`. */
  issue(grant: StreamGrant): Promise<string>;
  /** Undefined for a token that is unknown, used or expired. */
  take(token: string): Promise<StreamGrant | undefined>;
}

const TOKEN_CHARS = 40;

export function createStreamTokenStore(redis: Redis, keys: Pick<RedisKeys, 'streamToken'>): StreamTokenStore {
  return {
    async issue({ credentialHash, organizationId }) {
      const token = newSecret('dst_', TOKEN_CHARS);
      const grant = `${organizationId} ${credentialHash}`;
      await redis.set(keys.streamToken(hashSecret(token)), grant, 'PX', LIMITS.streamTokenMs);
      return token;
    },
    async take(token) {
      const grant = await redis.getdel(keys.streamToken(hashSecret(token)));
      if (grant === null) return undefined;
      const [organizationId, credentialHash] = grant.split(' ');
      return { organizationId: Number(organizationId), credentialHash: credentialHash! };
    },
  };
}

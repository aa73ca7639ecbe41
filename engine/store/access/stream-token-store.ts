import { LIMITS } from '../../../schema/limits.ts';
import { hashSecret, newSecret } from '../../runtime/secrets.ts';
import type { Redis } from '../redis.ts';
import type { RedisKeys } from '../redis-keys.ts';

/** The owner of a one-use stream token: the caller that asked for it, and its organization. */
export interface StreamGrant {
  /** SHA-256 of the key or access token that asked for it, hex. */
  readonly credentialHash: string;
  readonly organizationId: number;
}

/** One-use credentials for streams, known by their hashes. Both reject while Redis is away. */
export interface StreamTokenStore {
  /** Makes a token that lives `streamTokenMs`. */
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

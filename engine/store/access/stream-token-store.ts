import { LIMITS } from '../../../schema/limits.ts';
import { hashSecret, newSecret } from '../../runtime/secrets.ts';
import type { Redis } from '../redis.ts';
import type { RedisKeys } from '../redis-keys.ts';
import type { SessionKey } from './credential-store.ts';

/** The owner of a one-use stream token: the caller that asked for it, and its organization. */
export interface StreamGrant {
  /** SHA-256 of the key or access token that asked for it, hex. */
  readonly credentialHash: string;
  readonly organizationId: number;
  /** Its session, whose access token a refresh replaces; null for a key. */
  readonly session: SessionKey | null;
}

/** One-use credentials for streams, known by their hashes. All reject while Redis is away. */
export interface StreamTokenStore {
  /** Makes a token that lives `streamTokenMs`. */
  issue(grant: StreamGrant): Promise<string>;
  /** Undefined for a token that is unknown, used or expired. The token stays good. */
  find(token: string): Promise<StreamGrant | undefined>;
  /** The same, and uses the token up. */
  take(token: string): Promise<StreamGrant | undefined>;
}

const TOKEN_CHARS = 40;

export function createStreamTokenStore(redis: Redis, keys: Pick<RedisKeys, 'streamToken'>): StreamTokenStore {
  return {
    async issue({ credentialHash, organizationId, session }) {
      const token = newSecret('dst_', TOKEN_CHARS);
      const ofSession = session ? ` ${session.organizationId} ${session.id}` : '';
      const grant = `${organizationId} ${credentialHash}${ofSession}`;
      await redis.set(keys.streamToken(hashSecret(token)), grant, 'PX', LIMITS.streamTokenMs);
      return token;
    },
    find: async (token) => grantIn(await redis.get(keys.streamToken(hashSecret(token)))),
    take: async (token) => grantIn(await redis.getdel(keys.streamToken(hashSecret(token)))),
  };
}

function grantIn(text: string | null): StreamGrant | undefined {
  if (text === null) return undefined;
  const [organizationId, credentialHash, ofOrganization, id] = text.split(' ');
  const session = id === undefined ? null : { organizationId: Number(ofOrganization), id: Number(id) };
  return { organizationId: Number(organizationId), credentialHash: credentialHash!, session };
}

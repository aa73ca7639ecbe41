import { LIMITS } from '../../schema/limits.ts';
import { type Sql, textArray } from './postgres.ts';
import { read } from './read.ts';

/** Whom a channel key stands for. */
export interface ChannelCredential {
  /** SHA-256 of the key, hex. */
  readonly keyHash: string;
  readonly organizationId: number;
  readonly organizationStatus: string;
  readonly channelId: number;
  readonly channelStatus: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED';
  readonly userId: number;
  readonly role: string;
}

export interface CredentialStore {
  /** The channels behind these keys; unknown ones are absent. */
  findChannels(keyHashes: readonly string[]): Promise<ChannelCredential[]>;
}

export function createCredentialStore(sql: Sql): CredentialStore {
  return {
    async findChannels(keyHashes) {
      const query = () => sql<ChannelCredential[]>`
        SELECT encode(c.key_hash, 'hex') AS key_hash, c.organization_id, o.status AS organization_status,
          c.id AS channel_id, c.status AS channel_status, c.user_id, u.role
        FROM channels c
        JOIN organizations o ON o.organization_id = c.organization_id
        JOIN users u ON u.organization_id = c.organization_id AND u.id = c.user_id
        WHERE c.key_hash IN (SELECT decode(hash, 'hex') FROM unnest(${textArray(keyHashes)}::text[]) AS hash)`;
      return read(query, LIMITS.fetchDeadlineMs, 'looking up a key');
    },
  };
}

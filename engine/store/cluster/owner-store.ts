import { LIMITS } from '../../../schema/limits.ts';
import type { SecretBox } from '../../runtime/secret-box.ts';
import type { Sql } from '../postgres.ts';
import { INTERNAL_PLACE, openStored, type StoredSecret } from '../secrets/stored-secret.ts';
import { retried } from '../statements.ts';

/** The owner of each shard, and the secret by which gateways and workers know each other. */
export interface Owners {
  readonly secret: string;
  /** `host:port` by shard; a shard without an owner is absent. */
  readonly addresses: ReadonlyMap<number, string>;
}

export async function readOwners(sql: Sql, box: SecretBox): Promise<Owners> {
  const query = () => sql<(StoredSecret & { owners: readonly (readonly [shard: number, address: string])[] })[]>`
    SELECT i.secret AS clear, i.sealed_secret AS sealed, (
      SELECT coalesce(json_agg(json_build_array(s.shard, g.address)), '[]')
      FROM shards s JOIN gateways g ON g.incarnation = s.owner WHERE g.lease_expires_at > now()) AS owners
    FROM internal_secret i`;
  const [row] = await retried(query, LIMITS.fetchDeadlineMs, 'looking for the owners of shards');
  return { secret: openStored(box, row!, INTERNAL_PLACE), addresses: new Map(row!.owners) };
}

export async function readInternalSecret(sql: Sql, box: SecretBox): Promise<string> {
  const query = () => sql<StoredSecret[]>`SELECT secret AS clear, sealed_secret AS sealed FROM internal_secret`;
  const [row] = await retried(query, LIMITS.fetchDeadlineMs, 'reading the internal secret');
  return openStored(box, row!, INTERNAL_PLACE);
}

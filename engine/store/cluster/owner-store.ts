import { LIMITS } from '../../../schema/limits.ts';
import type { Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

/** The owner of each shard, and the secret by which gateways and workers know each other. */
export interface Owners {
  readonly secret: string;
  /** `host:port` by shard; a shard without an owner is absent. */
  readonly addresses: ReadonlyMap<number, string>;
}

export async function readOwners(sql: Sql): Promise<Owners> {
  const query = () => sql<{ secret: string; owners: readonly (readonly [shard: number, address: string])[] }[]>`
    SELECT i.secret, (
      SELECT coalesce(json_agg(json_build_array(s.shard, g.address)), '[]')
      FROM shards s JOIN gateways g ON g.incarnation = s.owner WHERE g.lease_expires_at > now()) AS owners
    FROM internal_secret i`;
  const [row] = await retried(query, LIMITS.fetchDeadlineMs, 'looking for the owners of shards');
  return { secret: row!.secret, addresses: new Map(row!.owners) };
}

export async function readInternalSecret(sql: Sql): Promise<string> {
  const query = () => sql<{ secret: string }[]>`SELECT secret FROM internal_secret`;
  const [row] = await retried(query, LIMITS.fetchDeadlineMs, 'reading the internal secret');
  return row!.secret;
}

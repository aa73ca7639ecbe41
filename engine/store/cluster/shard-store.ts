import { LIMITS } from '../../../schema/limits.ts';
import { numberArray, type Sql } from '../postgres.ts';
import { once } from '../statements.ts';

export interface OwnedShard {
  readonly shard: number;
  readonly epoch: number;
}

/** Leases and fencing tokens. Leases follow the clock of Postgres and only steer; the epoch alone protects. */
export interface ShardStore {
  /** Announces a gateway under a new incarnation; an earlier one with the same id is superseded at once. */
  register(gatewayId: string, incarnation: string, address: string, leaseMs: number): Promise<void>;
  /** False when another incarnation has taken the gateway's id. */
  renew(gatewayId: string, incarnation: string, leaseMs: number): Promise<boolean>;
  /** Takes every shard that has no owner with a running lease. Returns them. */
  takeFree(incarnation: string): Promise<OwnedShard[]>;
  listOwned(incarnation: string): Promise<OwnedShard[]>;
  /**
   * Makes every commit sent under these epochs fail or finish first. Returns the shards still owned. It raises to the
   * next epoch, not by one: a caller without an answer may ask again, and a late request changes nothing.
   */
  raiseEpochs(incarnation: string, past: readonly OwnedShard[]): Promise<OwnedShard[]>;
  /** Gives all shards up and ends the lease. */
  release(gatewayId: string, incarnation: string): Promise<void>;
}

export function createShardStore(sql: Sql): ShardStore {
  const bounded = <T>(query: PromiseLike<T>, what: string) => once(query, what, LIMITS.fetchDeadlineMs);
  return {
    async register(gatewayId, incarnation, address, leaseMs) {
      await bounded(
        sql`INSERT INTO gateways (id, incarnation, address, lease_expires_at)
            VALUES (${gatewayId}, ${incarnation}, ${address}, now() + ${leaseMs} * interval '1 millisecond')
            ON CONFLICT (id) DO UPDATE SET incarnation = excluded.incarnation, address = excluded.address,
              lease_expires_at = excluded.lease_expires_at, registered_at = now()`,
        'registering the gateway',
      );
    },
    async renew(gatewayId, incarnation, leaseMs) {
      const rows = await bounded(
        sql`UPDATE gateways SET lease_expires_at = now() + ${leaseMs} * interval '1 millisecond'
            WHERE id = ${gatewayId} AND incarnation = ${incarnation} RETURNING id`,
        'renewing the lease',
      );
      return rows.length === 1;
    },
    // Rows are locked in the order of their numbers, as commit_group does, so that takers never wait in a circle.
    takeFree: (incarnation) =>
      bounded(
        sql<OwnedShard[]>`
          WITH free AS (
            SELECT shard FROM shards
            WHERE owner IS DISTINCT FROM ${incarnation}::uuid AND (owner IS NULL OR owner NOT IN (
              SELECT g.incarnation FROM gateways g WHERE g.lease_expires_at > now()))
            ORDER BY shard FOR UPDATE)
          UPDATE shards s SET owner = ${incarnation}::uuid, epoch = s.epoch + 1 FROM free WHERE s.shard = free.shard
          RETURNING s.shard, s.epoch`,
        'taking shards',
      ),
    listOwned: (incarnation) =>
      bounded(sql<OwnedShard[]>`SELECT shard, epoch FROM shards WHERE owner = ${incarnation}::uuid`, 'listing shards'),
    raiseEpochs: (incarnation, past) =>
      bounded(
        sql<OwnedShard[]>`
          WITH mine AS (
            SELECT s.shard, p.epoch
            FROM shards s
            JOIN unnest(${numberArray(past.map(({ shard }) => shard))}::int[],
              ${numberArray(past.map(({ epoch }) => epoch))}::bigint[]) p(shard, epoch) ON p.shard = s.shard
            WHERE s.owner = ${incarnation}::uuid
            ORDER BY s.shard FOR UPDATE OF s)
          UPDATE shards s SET epoch = greatest(s.epoch, mine.epoch + 1)
          FROM mine WHERE s.shard = mine.shard RETURNING s.shard, s.epoch`,
        'raising epochs',
      ),
    async release(gatewayId, incarnation) {
      await bounded(
        sql`
          WITH mine AS (SELECT shard FROM shards WHERE owner = ${incarnation}::uuid ORDER BY shard FOR UPDATE)
          UPDATE shards s SET owner = NULL, epoch = s.epoch + 1 FROM mine WHERE s.shard = mine.shard`,
        'releasing shards',
      );
      await bounded(
        sql`DELETE FROM gateways WHERE id = ${gatewayId} AND incarnation = ${incarnation}`,
        'ending the lease',
      );
    },
  };
}

import type { ChannelRecord, ListChannelsQuery } from '../../../schema/accounts/channel.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type Listed, type ListPage, listPart, listPlace, pageOf } from '../list-page.ts';
import type { Fragment, Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

export interface ChannelDetail {
  readonly channel: ChannelRecord;
  /** Sequence of the organization's log at which it was true. */
  readonly sequence: number;
}

/** Columns of a channel `c`. */
const CHANNEL = `c.organization_id, c.id, c.version, c.name, c.status, c.user_id, c.rate_limit, c.locations_write,
  c.built_in AS is_built_in, c.created_at, c.updated_at`;

/** A page of channels, newest first. They are few: counting them is cheap. */
export async function listChannels(
  sql: Sql,
  organizationId: number,
  { part }: ListChannelsQuery,
): Promise<ListPage<ChannelRecord>> {
  const query = () => sql<Listed<ChannelRecord>[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(listPlace())}, b.*,
      (SELECT count(*) FROM channels c WHERE c.organization_id = ${organizationId}) AS count
    FROM organization_heads h LEFT JOIN (
      SELECT ${sql.unsafe(CHANNEL)} FROM channels c WHERE c.organization_id = ${organizationId}
        ${listPart(sql, part, 'c')}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.created_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing channels');
  return pageOf(rows, part, (channel) => channel);
}

/** A channel of the organization; undefined when there is none. */
export async function readChannel(
  sql: Sql,
  organizationId: number,
  channelId: number,
): Promise<ChannelDetail | undefined> {
  const query = () => sql<(ChannelRecord & { sequence: number })[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(CHANNEL)}
    FROM channels c JOIN organization_heads h ON h.organization_id = c.organization_id
    WHERE c.organization_id = ${organizationId} AND c.id = ${channelId}`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading a channel');
  if (!row) return undefined;
  const { sequence, ...channel } = row;
  return { channel, sequence };
}

/** Draws ids for a user and a channel. */
export async function drawIds(sql: Sql): Promise<{ readonly userId: number; readonly channelId: number }> {
  const [row] = await sql<{ userId: number; channelId: number }[]>`
    SELECT nextval('user_ids') AS user_id, nextval('channel_ids') AS channel_id`;
  return row!;
}

/** Inserts a channel. `keyHash`: SHA-256 of its key, hex; null for the built-in one. */
export function insertChannel(sql: Sql, channel: ChannelRecord, keyHash: string | null): Fragment {
  return sql`
    INSERT INTO channels (organization_id, id, version, name, status, user_id, key_hash, rate_limit, locations_write,
      built_in, created_at, updated_at)
    VALUES (${channel.organizationId}, ${channel.id}, ${channel.version}, ${channel.name}, ${channel.status},
      ${channel.userId}, decode(${keyHash}, 'hex'), ${channel.rateLimit}, ${channel.locationsWrite},
      ${channel.isBuiltIn}, ${channel.createdAt}, ${channel.updatedAt})
    RETURNING id`;
}

/** Writes a channel's next version, with another key where one is given; no row when another version came between. */
export function updateChannel(sql: Sql, channel: ChannelRecord, keyHash: string | null = null): Fragment {
  return sql`
    UPDATE channels SET version = ${channel.version}, name = ${channel.name}, status = ${channel.status},
      rate_limit = ${channel.rateLimit}, locations_write = ${channel.locationsWrite},
      key_hash = coalesce(decode(${keyHash}, 'hex'), key_hash), updated_at = ${channel.updatedAt}
    WHERE organization_id = ${channel.organizationId} AND id = ${channel.id} AND version = ${channel.version - 1}
    RETURNING id`;
}

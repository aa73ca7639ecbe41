import type { AuditedType } from '../../../schema/accounts/audit.ts';
import type { Caller } from '../../../schema/commands.ts';
import type { Fragment, Sql } from '../postgres.ts';

/** A line of the audit log about a change by a plain transaction. */
export interface AuditNote {
  /** The organization whose log holds it. */
  readonly organizationId: number;
  /** `user.created` */
  readonly action: string;
  readonly recordType: AuditedType;
  readonly recordId: number;
  readonly caller: Pick<Caller, 'type' | 'id' | 'origin'>;
  /** Encoded JSON; null before a creation and after a deletion. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The answers that a request may get, kept for retries under its Idempotency-Key. */
export interface KeptOutcome {
  readonly organizationId: number;
  readonly scope: string;
  /** SHA-256, hex. */
  readonly keyHash: string;
  readonly fingerprint: string;
  readonly status: number;
  /** The answer, or all of which the change picks one. */
  readonly sealed: readonly [Buffer, ...Buffer[]];
}

export interface NotedChange {
  /** A statement that runs first, for every result; the change selects from `first`. */
  readonly first?: Fragment;
  /** Returns one row when it has changed something; without one no other part runs. */
  readonly change: Fragment;
  /** Its row says in `picked` which of several answers it has, from 1 on; without this it has the first. */
  readonly picks?: boolean;
  /** Writes that belong to it; they may select from `changed`, and from those before them: `also_0`, `also_1` … */
  readonly also?: readonly Fragment[];
  readonly notes: readonly AuditNote[];
  readonly kept?: KeptOutcome | undefined;
  /** The organization that it creates: the kept outcome is deleted with it. */
  readonly madeOrganizationId?: number;
}

/**
 * Makes a change, its audit lines and its kept outcome in one statement. Returns the number of its answer, from 1 on; 0
 * when there was nothing to change.
 */
export async function writeNoted(sql: Sql, noted: NotedChange): Promise<number> {
  const { first, change, picks = false, also = [], notes, kept, madeOrganizationId = null } = noted;
  const picked = picks ? sql`picked` : sql`1`;
  const others = also.map((fragment, index) => sql`, ${sql(`also_${index}`)} AS (${fragment})`);
  const rows = await sql<{ answer: number }[]>`
    WITH ${first ? sql`first AS (${first}),` : sql``} changed AS (${change}) ${others.length > 0 ? others : sql``},
      noted AS (${insertNotes(sql, notes)}) ${kept ? sql`, kept AS (${insertKept(sql, kept, picked, madeOrganizationId)} FROM changed)` : sql``}
    SELECT coalesce((SELECT ${picked}::int FROM changed LIMIT 1), 0) AS answer`;
  return rows[0]!.answer;
}

/** Keeps an outcome that changed nothing. Rejects when the key has an outcome already. */
export async function keepOutcome(sql: Sql, kept: KeptOutcome): Promise<void> {
  await insertKept(sql, kept, sql`1`, null);
}

function insertNotes(sql: Sql, notes: readonly AuditNote[]): Fragment {
  const rows = notes.map(({ caller, before, after, ...note }) => ({
    organization_id: note.organizationId,
    action: note.action,
    record_type: note.recordType,
    record_id: note.recordId,
    actor_type: caller.type,
    actor_id: caller.id,
    correlation_id: caller.origin?.correlationId ?? null,
    address: caller.origin?.address ?? null,
    before: before && JSON.parse(before),
    after: after && JSON.parse(after),
  }));
  return sql`
    INSERT INTO audit_access
      (organization_id, action, record_type, record_id, actor_type, actor_id, correlation_id, address, before, after)
    SELECT n.* FROM changed, json_to_recordset(${JSON.stringify(rows)}::text::json) AS n(
      organization_id bigint, action text, record_type text, record_id bigint, actor_type text, actor_id bigint,
      correlation_id uuid, address text, before json, after json)`;
}

function insertKept(sql: Sql, kept: KeptOutcome, picked: Fragment, madeOrganizationId: number | null): Fragment {
  const { organizationId, scope, keyHash, fingerprint, status, sealed } = kept;
  return sql`
    INSERT INTO kept_outcomes (organization_id, scope, key_hash, fingerprint, status, sealed, made_organization_id)
    SELECT ${organizationId}::bigint, ${scope}::text, decode(${keyHash}::text, 'hex'), ${fingerprint}::text, ${status}::int,
      decode((${hexArray(sealed)}::text[])[${picked}], 'hex'), ${madeOrganizationId}::bigint`;
}

/**
 * The outcome kept under a key, not older than `retentionMs`. Older ones are deleted, so that the key is free again.
 */
export async function findKept(
  sql: Sql,
  { organizationId, scope, keyHash }: Pick<KeptOutcome, 'organizationId' | 'scope' | 'keyHash'>,
  retentionMs: number,
): Promise<{ readonly fingerprint: string; readonly sealed: Buffer } | undefined> {
  const [row] = await sql<{ fingerprint: string; sealed: string; isValid: boolean }[]>`
    SELECT fingerprint, encode(sealed, 'hex') AS sealed, at > now() - ${retentionMs / 1_000} * interval '1 second' AS is_valid
    FROM kept_outcomes
    WHERE organization_id = ${organizationId} AND scope = ${scope} AND key_hash = decode(${keyHash}, 'hex')`;
  if (row?.isValid) return { fingerprint: row.fingerprint, sealed: Buffer.from(row.sealed, 'hex') };
  if (row) {
    await sql`
      DELETE FROM kept_outcomes
      WHERE organization_id = ${organizationId} AND scope = ${scope} AND key_hash = decode(${keyHash}, 'hex')
        AND at <= now() - ${retentionMs / 1_000} * interval '1 second'`;
  }
  return undefined;
}

function hexArray(buffers: readonly Buffer[]): string {
  return `{${buffers.map((one) => one.toString('hex')).join(',')}}`;
}

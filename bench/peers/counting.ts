import type postgres from 'postgres';
import { quotaPeriod } from '../../engine/domain/quota.ts';
import type { Sql } from '../../engine/store/postgres.ts';

export type Transaction = postgres.TransactionSql<{ bigint: number }>;
export type CountedResource = 'tasks' | 'customers';

/** How a peer numbers an organization's events and counts what it uses. */
export interface Counting {
  /** The tables that the migrated database lacks for it. */
  prepare(sql: Sql): Promise<void>;
  nextSequence(tx: Transaction, organizationId: number): Promise<number>;
  countUsage(tx: Transaction, organizationId: number, resource: CountedResource, now: string): Promise<unknown>;
}

/**
 * The ordinary way to have numbers without gaps and a total that can be read: a row of each organization that every
 * transaction updates. Its lock is held until the commit, so the transactions of one organization stand in line from
 * here on; hence it is taken as late as possible.
 */
const inRows: Counting = {
  prepare: async () => {},
  async nextSequence(tx, organizationId) {
    const rows = await tx<{ lastSequence: number }[]>`
      UPDATE organization_heads SET last_sequence = last_sequence + 1, last_at = now()
      WHERE organization_id = ${organizationId} RETURNING last_sequence`;
    return rows[0]!.lastSequence;
  },
  countUsage: (tx, organizationId, resource, now) => tx`
    INSERT INTO usage (organization_id, resource, period, used)
    VALUES (${organizationId}, ${resource}, ${quotaPeriod(resource, now)}, 1)
    ON CONFLICT (organization_id, resource, period) DO UPDATE SET used = usage.used + 1`,
};

/**
 * A count without a row that transactions wait for, at the price of gaps in the numbers and of totals that must be
 * summed up: less than the task asks for, measured to show the price of the locks.
 */
const withoutLocks: Counting = {
  async prepare(sql) {
    await sql`CREATE SEQUENCE IF NOT EXISTS event_numbers`;
    await sql`
      CREATE TABLE IF NOT EXISTS usage_entries (
        organization_id bigint NOT NULL, resource text NOT NULL, period date NOT NULL, used bigint NOT NULL)`;
  },
  async nextSequence(tx) {
    const rows = await tx<{ sequence: number }[]>`SELECT nextval('event_numbers') AS sequence`;
    return rows[0]!.sequence;
  },
  countUsage: (tx, organizationId, resource, now) => tx`
    INSERT INTO usage_entries (organization_id, resource, period, used)
    VALUES (${organizationId}, ${resource}, ${quotaPeriod(resource, now)}, 1)`,
};

export const COUNTINGS = { rows: inRows, free: withoutLocks } as const;

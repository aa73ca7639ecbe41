import postgres from 'postgres';
import { withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';

/** A backend of the database, as pg_stat_activity shows it. */
export interface Backend {
  readonly pid: number;
  readonly name: string;
  readonly isActive: boolean;
  readonly waitsForLock: boolean;
}

/** The backends whose application name starts with this. */
export function backendsOf(databaseUrl: string, name: string): Promise<readonly Backend[]> {
  return withSql(
    databaseUrl,
    (sql) => sql<Backend[]>`
      SELECT pid, application_name AS name, state = 'active' AS is_active,
        state = 'active' AND wait_event_type IS NOT DISTINCT FROM 'Lock' AS waits_for_lock
      FROM pg_stat_activity WHERE datname = current_database() AND starts_with(application_name, ${name})`,
  );
}

/** Resolves when such a backend waits for a lock. */
export async function untilBlocked(databaseUrl: string, name: string): Promise<void> {
  await until(`a backend of "${name}" waits for a lock`, async () =>
    (await backendsOf(databaseUrl, name)).some(({ waitsForLock }) => waitsForLock),
  );
}

export function terminate(databaseUrl: string, name: string): Promise<unknown> {
  return withSql(
    databaseUrl,
    (sql) => sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND starts_with(application_name, ${name})`,
  );
}

export interface HeldLock {
  /** Releases the lock. A second call does nothing. */
  release(): Promise<void>;
}

/** Locks an organization's head in a session of the test's own: a commit for it hangs in the middle, past its fence. */
export async function lockHead(databaseUrl: string, organizationId: number): Promise<HeldLock> {
  // Without a timer, which would stay behind where a test has stopped the timers.
  const sql = postgres(databaseUrl, { max: 1, max_lifetime: null, onnotice: () => {} });
  const session = await sql.reserve();
  await session`BEGIN`;
  await session`SELECT 1 FROM organization_heads WHERE organization_id = ${organizationId} FOR UPDATE`;
  const release = async () => {
    await session`ROLLBACK`;
    session.release();
    await sql.end({ timeout: 1 });
  };
  let released: Promise<void> | undefined;
  return {
    release() {
      released ??= release();
      return released;
    },
  };
}

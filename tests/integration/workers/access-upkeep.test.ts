import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../engine/runtime/log.ts';
import { createMaintenanceStore } from '../../../engine/store/cluster/maintenance-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { createAccessUpkeepProcessor } from '../../../workers/maintenance/upkeep-processors.ts';
import { createWorkersPlace } from './workers-place.ts';

const ROWS = 12_000;

test('rows that access no longer needs are deleted, in batches, and usable ones stay', async () => {
  const place = await createWorkersPlace(1);
  const { sql } = place;
  const organizationId = place.organizationIds[0]!;
  const unique = (text: string) => sql`sha256((${text} || n)::bytea)`;
  try {
    const sessions = (name: string, rows: number, columns: Readonly<Record<string, string>>) => sql`
      INSERT INTO sessions (organization_id, id, user_id, access_hash, access_expires_at, refresh_expires_at, revoked_at)
      SELECT ${organizationId}, nextval('session_ids'), 1, ${unique(name)}, now() + ${columns['access']!}::interval,
        now() + ${columns['refresh'] ?? null}::interval, now() + ${columns['revoked'] ?? null}::interval
      FROM generate_series(1, ${rows}) AS n`;
    await sessions('ended', ROWS, { access: '-30 days', refresh: '-2 days' });
    await sessions('never to be refreshed', 1, { access: '-2 days' });
    await sessions('long revoked', 1, { access: '-40 days', refresh: '1 day', revoked: '-31 days' });
    await sessions('kept: may be refreshed', 1, { access: '-1 hour', refresh: '29 days' });
    await sessions('kept: just over', 1, { access: '-1 hour', refresh: '-1 hour' });
    await sessions('kept: revoked', 1, { access: '-1 hour', refresh: '1 day', revoked: '-29 days' });
    await sql`
      INSERT INTO session_pairs (organization_id, session_id, refresh_hash, refresh_expires_at, access_expires_at, issued_at)
      SELECT organization_id, id, access_hash, now(), now(), now() FROM sessions WHERE organization_id = ${organizationId}`;
    await sql`DELETE FROM access_changes`;
    await sql`
      INSERT INTO access_changes (organization_id, subject, subject_id, at)
      SELECT ${organizationId}, 'user', n, now() - interval '1 minute' * (n - 1) FROM generate_series(1, 100) AS n`;
    await sql`
      INSERT INTO user_tokens (organization_id, user_id, purpose, token_hash, expires_at)
      SELECT ${organizationId}, 1, 'reset_password', ${unique('token')}, now() + interval '1 hour' * (2 - n)
      FROM generate_series(1, 3) AS n`;
    await sql`
      INSERT INTO kept_outcomes (organization_id, scope, key_hash, fingerprint, status, sealed, at)
      SELECT ${organizationId}, 'test', ${unique('key')}, '', 200, '', now() - interval '23 hours' * (n - 1)
      FROM generate_series(1, 3) AS n`;
    const request = (status: string, days: number) => sql`
      INSERT INTO assignment_requests (organization_id, id, version, task_id, agent_id, channel_id, status, mode, attempt,
        score, expires_at, created_at, updated_at)
      SELECT ${organizationId}, nextval('assignment_request_ids'), 1, 1, 1, 1, ${status}, 'sequential', 1, 0, now(), at, now()
      FROM (SELECT now() - make_interval(days => ${days}) AS at) a`;
    await request('rejected', LIMITS.requestRetentionDays + 1);
    await request('rejected', LIMITS.requestRetentionDays - 1);
    await request('pending', LIMITS.requestRetentionDays + 1);
    await createAccessUpkeepProcessor(createMaintenanceStore(sql), createLog('workers', 'silent'))(
      {},
      new AbortController().signal,
    );
    const [left] = await sql`
      SELECT (SELECT count(*) FROM sessions WHERE organization_id = ${organizationId}) AS sessions,
        (SELECT count(*) FROM session_pairs WHERE organization_id = ${organizationId}) AS pairs,
        (SELECT count(*) FROM access_changes WHERE organization_id = ${organizationId}) AS changes,
        (SELECT count(*) FROM user_tokens WHERE organization_id = ${organizationId}) AS tokens,
        (SELECT count(*) FROM kept_outcomes WHERE organization_id = ${organizationId}) AS outcomes,
        (SELECT count(*) FROM assignment_requests WHERE organization_id = ${organizationId}) AS requests`;
    assert.deepEqual({ ...left }, { sessions: 3, pairs: 3, changes: 60, tokens: 1, outcomes: 2, requests: 2 });
  } finally {
    await place.drop();
  }
});

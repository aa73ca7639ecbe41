import type { RequestStatus } from '../../../schema/assignment/assignment.ts';
import { withSql } from '../../support/seeds/seed.ts';

interface RequestSeed {
  readonly organizationId: number;
  readonly channelId: number;
  readonly taskId: number;
  readonly agentId: number;
  readonly status: Exclude<RequestStatus, 'pending'>;
  readonly rejectionReason?: string;
  readonly createdAt?: string;
}

/** A request that was answered, as its actor left it: one that waits is known to its task, too. Its id. */
export async function seedRequest(databaseUrl: string, seed: RequestSeed): Promise<number> {
  const { organizationId, channelId, taskId, agentId, status, rejectionReason = null } = seed;
  const { createdAt = new Date().toISOString() } = seed;
  const [row] = await withSql(
    databaseUrl,
    (sql) => sql<{ id: number }[]>`
      INSERT INTO assignment_requests (organization_id, id, version, task_id, agent_id, channel_id, status, mode, attempt,
        score, distance_m, eta_seconds, expires_at, responded_at, rejection_reason, created_at, updated_at)
      VALUES (${organizationId}, nextval('assignment_request_ids'), 2, ${taskId}, ${agentId}, ${channelId}, ${status},
        'sequential', 1, 12.5, 800, 240, ${createdAt}::timestamptz + interval '30 s', ${createdAt}, ${rejectionReason},
        ${createdAt}, ${createdAt})
      RETURNING id`,
  );
  return row!.id;
}

import { LIMITS } from '../../../schema/limits.ts';
import type { TrackingToken } from '../../../schema/tasks/tracking.ts';
import type { Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

/** Whether there is such a task, with that secret. */
export async function isLinked(sql: Sql, { organizationId, taskId, secret }: TrackingToken): Promise<boolean> {
  const query = () => sql`
    SELECT FROM tasks WHERE organization_id = ${organizationId} AND id = ${taskId} AND tracking_token = ${secret}`;
  const found = await retried(query, LIMITS.fetchDeadlineMs, 'looking for a tracking link');
  return found.length > 0;
}

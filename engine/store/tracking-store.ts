import { LIMITS } from '../../schema/limits.ts';
import type { Sql } from './postgres.ts';
import { read } from './read.ts';

/** The task that a tracking link is about. */
export interface LinkedTask {
  readonly organizationId: number;
  readonly taskId: number;
}

/** Undefined when no task has the token. */
export async function findLinkedTask(sql: Sql, token: string): Promise<LinkedTask | undefined> {
  const query = () => sql<LinkedTask[]>`
    SELECT organization_id, id AS task_id FROM tasks WHERE tracking_token = ${token} LIMIT 1`;
  const [found] = await read(query, LIMITS.fetchDeadlineMs, 'looking for a tracking link');
  return found;
}

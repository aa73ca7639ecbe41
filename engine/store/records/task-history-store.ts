import { LIMITS } from '../../../schema/limits.ts';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import { stepsOf } from '../../domain/tasks/steps-of-agent.ts';
import type { Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

export interface TaskHistoryPage {
  readonly steps: readonly HistoryStepView[];
  /** Sequence of the organization's log at which the history was true. */
  readonly sequence: number;
}

/**
 * The steps of a task, oldest first; undefined when there is no such task, or when `onlyAgentId` neither has it nor is
 * asked about it. That agent finds its own steps only. One statement is one snapshot.
 */
export async function readTaskHistory(
  sql: Sql,
  organizationId: number,
  taskId: number,
  onlyAgentId: number | null,
): Promise<TaskHistoryPage | undefined> {
  const query = () => sql<{ lastSequence: number; steps: HistoryStepView[] }[]>`
    SELECT h.last_sequence, (
      SELECT json_agg(json_build_object('sequence', s.sequence, 'kind', s.kind,
        'at', to_char(s.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'recordedAt', to_char(s.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'fromStatus', s.from_status, 'toStatus', s.to_status, 'reason', s.reason, 'reasonCode', s.reason_code,
        'details', s.details, 'actor', json_build_object('type', s.actor_type, 'id', s.actor_id)) ORDER BY s.sequence)
      FROM task_history s WHERE s.organization_id = t.organization_id AND s.task_id = t.id) AS steps
    FROM tasks t JOIN organization_heads h ON h.organization_id = t.organization_id
    WHERE t.organization_id = ${organizationId} AND t.id = ${taskId}
      AND (${onlyAgentId}::bigint IS NULL OR t.agent_id = ${onlyAgentId} OR EXISTS (
        SELECT FROM assignment_requests r WHERE r.organization_id = t.organization_id AND r.task_id = t.id
          AND r.agent_id = ${onlyAgentId} AND r.status = 'pending'))`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading the history of a task');
  if (!row) return undefined;
  const steps = row.steps ?? [];
  return { steps: onlyAgentId === null ? steps : stepsOf(onlyAgentId, steps), sequence: row.lastSequence };
}

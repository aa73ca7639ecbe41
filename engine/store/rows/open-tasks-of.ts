import { isTerminal, TASK_STATUSES } from '../../../schema/tasks/task.ts';
import type { Fragment, Sql } from '../postgres.ts';

/** The rank of the first status that ends a task. */
export const FIRST_TERMINAL = TASK_STATUSES.findIndex(isTerminal);

/**
 * The open tasks of an organization that certain agents have, as a relation of whole rows of `tasks`: settled ones by
 * index, and the moving ones, which are read one by one (docs/internals/lists-and-search.md). `isOneOf` is the condition on
 * an agent's id.
 */
export function openTasksOf(sql: Sql, organizationId: number, isOneOf: (agentId: Fragment) => Fragment): Fragment {
  // A number in the text, as the condition of an index has it.
  const isOpen = sql.unsafe(`settled_rank < ${FIRST_TERMINAL}`);
  return sql`(
    SELECT * FROM tasks WHERE organization_id = ${organizationId}
      AND ${isOpen} AND ${isOneOf(sql`settled_agent_id`)}
    UNION ALL SELECT * FROM tasks WHERE organization_id = ${organizationId}
      AND settled_rank IS NULL AND ${isOneOf(sql`agent_id`)})`;
}

import { isTerminal } from '../../../schema/tasks/task.ts';
import type { TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { FIRST_TERMINAL } from '../rows/open-tasks-of.ts';

/** The columns that lists compare and that no step changes. The others have two names. */
const COLUMNS = `organization_id, id, created_at, due_at, scheduled_at, completed_at, name, code, status, task_type,
    time_to_serve, channel_id, customer_id, location_id, parent_id, child_ids, courier_type, courier_id, outcome, delayed_at`;

const settled = (condition: string) => `(SELECT ${COLUMNS}, settled_rank AS status_rank, settled_at AS updated_at,
    settled_agent_id AS agent_id, settled_search AS auto_assignment_status
    FROM tasks WHERE organization_id = $1::bigint AND ${condition})`;

/**
 * The tasks whose keys stand in the indexes, and those that are read one by one: LIMITS.movingTasks of them at most
 * (0039-moving-tasks.sql). The columns of both have the same names, so that one condition fits both.
 */
export const SETTLED = settled('settled_rank IS NOT NULL');
export const MOVING = `(SELECT ${COLUMNS}, status_rank, updated_at, agent_id, auto_assignment_status
    FROM tasks WHERE organization_id = $1::bigint AND settled_rank IS NULL)`;

/** Whether a filter permits open tasks, and with them moving ones. */
function mayMove({ status }: TaskFilter): boolean {
  return !status?.every(isTerminal);
}

/** Relations that share the tasks of an organization among them, each with indexes of its own. */
export type Sources = readonly string[];

/** All tasks that a filter may permit: those of one table, or as indexes have them by their keys, or by the time when they are due. */
export const UNDIVIDED: Sources = ['tasks'];
export function byKeys(filter: TaskFilter): Sources {
  return mayMove(filter) ? [SETTLED, MOVING] : [SETTLED];
}
export function byTimeDue(filter: TaskFilter): Sources {
  const open = [settled(`settled_rank < ${FIRST_TERMINAL}`), MOVING];
  const ended = [settled(`settled_rank >= ${FIRST_TERMINAL}`)];
  return [...(mayMove(filter) ? open : []), ...(isOpenOnly(filter) ? [] : ended)];
}

/** Whether a filter permits none but open tasks. */
export function isOpenOnly({ status }: TaskFilter): boolean {
  return status?.every((one) => !isTerminal(one)) ?? false;
}

/** Two texts of tasks as one, without that of moving tasks where a filter permits none. */
export function withMoving(settledText: string, movingText: string, filter: TaskFilter): string {
  return mayMove(filter) ? `${settledText} UNION ALL ${movingText}` : settledText;
}

/** `selected` of the tasks `t` of all sources that match. `matches` is a condition on a task at hand, or one that leads to its tasks. */
export function allOf(sources: Sources, selected: string, matches: (isAtHand: boolean) => string): string {
  const parts = sources.map(
    (source) =>
      `SELECT ${selected} FROM ${source} t WHERE t.organization_id = $1::bigint AND ${matches(source === MOVING)}`,
  );
  return parts.join(' UNION ALL ');
}

/** Tasks of a source: which, and in which order, up to a limit. */
export interface Stretch {
  readonly where: string;
  readonly order: string;
}

/**
 * The first tasks `t` of all sources in an order. The first of each source are taken before they are merged: where the
 * planner may choose, it sorts every task of the organization for a source that no index has in this order. `ofMoving`
 * is the stretch of moving tasks, which are all read anyway: the fewer stay, the fewer are sorted.
 */
export function firstOf(sources: Sources, settledOnes: Stretch, ofMoving: Stretch = settledOnes): string {
  const parts = sources.map((source) => {
    const { where, order } = source === MOVING ? ofMoving : settledOnes;
    return `(SELECT * FROM ${source} t WHERE t.organization_id = $1::bigint AND ${where} ${order})`;
  });
  return parts.length === 1 ? parts[0]! : `(SELECT * FROM (${parts.join(' UNION ALL ')}) t ${settledOnes.order})`;
}

/** Parts that lead to their tasks better than any key does. */
const LEADING: readonly (keyof TaskFilter)[] = [
  'code',
  'search',
  'parentId',
  'locationId',
  'completedFrom',
  'completedTo',
  'outcome',
];

/** The tasks, as indexes have them by the parts of a filter. */
export function sourcesOf(filter: TaskFilter): Sources {
  return isFoundByKeys(filter) ? byKeys(filter) : UNDIVIDED;
}

/** Whether the tasks that a filter permits are found by keys that an index has of settled tasks alone. */
function isFoundByKeys(filter: TaskFilter): boolean {
  const { status, agentId, updatedFrom, updatedTo, autoAssignmentStatus, isDelayed, unassigned, courierType } = filter;
  const { taskType, channelId, timeToServe, scheduledFrom, scheduledTo } = filter;
  if (courierType === 'external' || LEADING.some((part) => filter[part] !== undefined)) return false;
  const isWanted = (part: unknown) => part !== undefined;
  const hasWindow = [scheduledFrom, scheduledTo].some(isWanted);
  return (
    [status, agentId, updatedFrom, updatedTo, autoAssignmentStatus].some(isWanted) ||
    (!hasWindow && [taskType, channelId, timeToServe].some(isWanted)) ||
    isDelayed === true ||
    unassigned === true
  );
}

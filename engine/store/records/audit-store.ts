import type { AuditEntryView, ListAuditQuery, RecordAuditQuery } from '../../../schema/accounts/audit.ts';
import { LIMITS } from '../../../schema/limits.ts';
import {
  type AuditedTask,
  beforeTaskChanges,
  type TaskChanges,
  toldFields,
} from '../../../schema/tasks/task-changes.ts';
import { type Fragment, numberArray, type Sql } from '../postgres.ts';
import { AUDITED_TASK_COLUMNS, auditedTaskOfRow } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';

export interface AuditPage {
  readonly items: readonly AuditEntryView[];
  /** Exact number of matching entries, of the same snapshot as the items. */
  readonly count: number;
  /** Sequence of the organization's log at which the page was true. */
  readonly sequence: number;
}

/** `source` and `key`: the table of an entry, and its place there. */
interface EntryRow extends Omit<AuditEntryView, 'id' | 'record' | 'actor'> {
  readonly source: 't' | 'r' | 'a' | null;
  readonly key: number;
  readonly recordType: AuditEntryView['record']['type'];
  readonly recordId: number;
  readonly actorType: string;
  readonly actorId: number | null;
  readonly actorUserId: number | null;
  readonly sequence: number;
  readonly count: number;
}

/**
 * A page of the audit log, newest first: the steps of tasks, which are their audit, the changes of other records, and
 * the actions of administrators and sessions; for organization 0 those of super admins and their sessions. It costs the
 * rows before the page, and the count every entry that matches, some 0.2 s for a million, so far pages and long histories
 * need a time range. The last page tells the count by itself. `userId` reads the whole range: each change of a task would
 * pay for an index of actors.
 */
export async function listAudit(sql: Sql, organizationId: number, query: ListAuditQuery): Promise<AuditPage> {
  const rows = await retried(() => pageOf(sql, organizationId, query), LIMITS.readDeadlineMs, 'reading the audit log');
  const entries = rows.filter((row) => row.source !== null);
  const made = entries.filter((row) => row.source === 't' && row.action === 'task.created');
  const tasks = await tasksAsMade(
    sql,
    organizationId,
    made.map((row) => row.recordId),
  );
  const items = entries.map((row) => {
    const task = made.includes(row) ? tasks.get(row.recordId) : undefined;
    return entryOf(task ? { ...row, after: toldTask(task) } : row);
  });
  return { items, count: rows[0]?.count ?? 0, sequence: rows[0]?.sequence ?? 0 };
}

/**
 * A page of `audit_records` about one record, newest first; undefined when there is no such record: every record is
 * audited from its creation on.
 */
export async function listRecordAudit(
  sql: Sql,
  organizationId: number,
  recordType: 'payment',
  recordId: number,
  { page, limit }: RecordAuditQuery,
): Promise<AuditPage | undefined> {
  const ofRecord = sql`FROM audit_records r
    WHERE r.organization_id = ${organizationId} AND r.record_type = ${recordType} AND r.record_id = ${recordId}`;
  const query = () => sql<EntryRow[]>`
    SELECT h.last_sequence AS sequence, (SELECT count(*) ${ofRecord}) AS count, e.*, 'r' AS source, e.version AS key,
      e.record_type || CASE WHEN e.before IS NULL THEN '.created' ELSE '.updated' END AS action,
      CASE e.actor_type WHEN 'user' THEN e.actor_id ELSE c.user_id END AS actor_user_id
    FROM organization_heads h
    LEFT JOIN (SELECT r.* ${ofRecord} ORDER BY r.version DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}) e ON true
    LEFT JOIN channels c ON c.organization_id = h.organization_id AND e.actor_type = 'channel' AND c.id = e.actor_id
    WHERE h.organization_id = ${organizationId}
    ORDER BY e.version DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'reading the audit log of a record');
  const [first] = rows;
  if (!first || first.count === 0) return undefined;
  const items = rows.filter((row) => row.recordId !== null).map(entryOf);
  return { items, count: first.count, sequence: first.sequence };
}

function pageOf(sql: Sql, organizationId: number, query: ListAuditQuery): PromiseLike<EntryRow[]> {
  const { page, limit } = query;
  const last = page * limit;
  const tasks = matching(sql, organizationId, query, { alias: 'h', at: 'recorded_at', record: 'task_id' });
  const others = (alias: string) => matching(sql, organizationId, query, { alias, at: 'at', record: 'record_id' });
  const isType = (column: string) =>
    sql`${query.recordType ?? null}::text IS NULL OR ${sql.unsafe(column)} = ${query.recordType ?? null}::text`;
  const ofTasks = sql`FROM task_history h WHERE ${tasks} AND (${isType(`'task'`)})`;
  const ofRecords = sql`FROM audit_records r WHERE ${others('r')} AND (${isType('r.record_type')})`;
  const ofAccess = sql`FROM audit_access a WHERE ${others('a')} AND (${isType('a.record_type')})`;
  return sql<EntryRow[]>`
    WITH page AS MATERIALIZED (
      SELECT * FROM (
        (SELECT 't' AS source, h.recorded_at AS at, h.sequence AS key, 'task' AS record_type, h.task_id AS record_id
          ${ofTasks} ORDER BY h.recorded_at DESC, h.sequence DESC LIMIT ${last})
        UNION ALL
        (SELECT 'r', r.at, r.version, r.record_type, r.record_id
          ${ofRecords} ORDER BY r.at DESC, r.version DESC, r.record_type DESC, r.record_id DESC LIMIT ${last})
        UNION ALL
        (SELECT 'a', a.at, a.id, a.record_type, a.record_id ${ofAccess} ORDER BY a.at DESC, a.id DESC LIMIT ${last})) s
      ORDER BY at DESC, source, key DESC, record_type DESC, record_id DESC LIMIT ${limit} OFFSET ${last - limit}),
    entries AS (
      SELECT p.*, 'task.' || h.kind AS action, h.actor_type, h.actor_id, h.changes -> 'before' AS before,
        h.changes -> 'after' AS after, h.correlation_id, h.address
      FROM page p JOIN task_history h ON h.organization_id = ${organizationId} AND h.task_id = p.record_id AND h.sequence = p.key
      WHERE p.source = 't'
      UNION ALL
      SELECT p.*, r.record_type || CASE WHEN r.before IS NULL THEN '.created' ELSE '.updated' END, r.actor_type, r.actor_id,
        r.before, r.after, r.correlation_id, r.address
      FROM page p JOIN audit_records r ON r.organization_id = ${organizationId} AND r.record_type = p.record_type
        AND r.record_id = p.record_id AND r.version = p.key
      WHERE p.source = 'r'
      UNION ALL
      SELECT p.*, a.action, a.actor_type, a.actor_id, a.before, a.after, a.correlation_id, a.address
      FROM page p JOIN audit_access a ON a.organization_id = ${organizationId} AND a.id = p.key
      WHERE p.source = 'a')
    SELECT coalesce(l.last_sequence, 0) AS sequence, e.*,
      CASE e.actor_type WHEN 'user' THEN e.actor_id ELSE c.user_id END AS actor_user_id,
      CASE WHEN n.shown < ${limit} AND (n.shown > 0 OR ${page === 1}::boolean) THEN ${last - limit} + n.shown
        ELSE (SELECT count(*) ${ofTasks}) + (SELECT count(*) ${ofRecords}) + (SELECT count(*) ${ofAccess}) END AS count
    FROM (VALUES (${organizationId}::bigint)) o(organization_id)
    CROSS JOIN (SELECT count(*) AS shown FROM page) n
    LEFT JOIN organization_heads l ON l.organization_id = o.organization_id
    LEFT JOIN entries e ON true
    LEFT JOIN channels c ON c.organization_id = o.organization_id AND e.actor_type = 'channel' AND c.id = e.actor_id
    ORDER BY e.at DESC, e.source, e.key DESC, e.record_type DESC, e.record_id DESC`;
}

/**
 * Actor, time and record: conditions on a table's own columns, so that its index on the time serves them. Some times are
 * stored in microseconds and shown in milliseconds: `to` is the whole of its millisecond.
 */
function matching(
  sql: Sql,
  organizationId: number,
  { recordId, userId, from, to }: ListAuditQuery,
  names: { readonly alias: string; readonly at: string; readonly record: string },
): Fragment {
  const column = (name: string) => sql.unsafe(`${names.alias}.${name}`);
  return sql`
    ${column('organization_id')} = ${organizationId}
    ${from === undefined ? sql`` : sql`AND ${column(names.at)} >= ${from}`}
    ${to === undefined ? sql`` : sql`AND ${column(names.at)} < ${to}::timestamptz + interval '1 millisecond'`}
    ${recordId === undefined ? sql`` : sql`AND ${column(names.record)} = ${recordId}`}
    ${
      userId === undefined
        ? sql``
        : sql`AND (${column('actor_type')} = 'user' AND ${column('actor_id')} = ${userId}
            OR ${column('actor_type')} = 'channel' AND ${column('actor_id')} IN (
              SELECT u.id FROM channels u WHERE u.organization_id = ${organizationId} AND u.user_id = ${userId}))`
    }`;
}

function entryOf(row: EntryRow): AuditEntryView {
  const { source, key, recordType: type, recordId } = row;
  return {
    id: source === 'r' ? `r-${type}-${recordId}-${key}` : `${source}-${key}`,
    at: row.at,
    action: row.action,
    record: { type, id: recordId },
    actor: { type: row.actorType, id: row.actorId, userId: row.actorUserId },
    before: row.before,
    after: row.after,
    correlationId: row.correlationId,
    address: row.address,
  };
}

/**
 * Tasks as they were created: their present rows with every later step taken back. So no task is stored twice. Omits
 * tasks whose creation is unknown.
 */
async function tasksAsMade(
  sql: Sql,
  organizationId: number,
  taskIds: readonly number[],
): Promise<ReadonlyMap<number, AuditedTask>> {
  if (taskIds.length === 0) return new Map();
  const ask = <T>(query: () => PromiseLike<T>) => retried(query, LIMITS.readDeadlineMs, 'reading how tasks were made');
  // The tasks first: a step that comes between is taken back to their state.
  const now = await ask(
    () => sql<(Parameters<typeof auditedTaskOfRow>[0] & { readonly id: number })[]>`
      SELECT t.id, ${sql.unsafe(AUDITED_TASK_COLUMNS)} FROM tasks t
      WHERE t.organization_id = ${organizationId} AND t.id = ANY(${numberArray(taskIds)}::bigint[])`,
  );
  const tasks = new Map(now.map((row) => [row.id, auditedTaskOfRow(row)]));
  for (let after = { taskId: 0, sequence: 0 }; ; ) {
    const steps = await ask(
      () => sql<{ taskId: number; sequence: number; changes: TaskChanges | null }[]>`
        SELECT h.task_id, h.sequence, h.changes FROM task_history h
        WHERE h.organization_id = ${organizationId} AND h.task_id = ANY(${numberArray(taskIds)}::bigint[])
          AND h.kind <> 'created'
          AND (h.task_id > ${after.taskId} OR h.task_id = ${after.taskId} AND h.sequence < ${after.sequence})
        ORDER BY h.task_id, h.sequence DESC LIMIT ${LIMITS.auditStepsAtOnce}`,
    );
    for (const { taskId, changes } of steps) {
      const later = tasks.get(taskId);
      // A step of a release that did not note its changes: the task's creation is unknown.
      if (!changes) tasks.delete(taskId);
      else if (later) tasks.set(taskId, beforeTaskChanges(later, changes));
    }
    if (steps.length < LIMITS.auditStepsAtOnce) return tasks;
    after = steps.at(-1)!;
  }
}

function toldTask({ task, packages }: AuditedTask): Record<string, unknown> {
  return { ...toldFields(task), packages: packages.map(toldFields) };
}

import { countDeltas, relistedTasks } from '../../../engine/org/list-upkeep.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { TASK_STATUSES, type TaskRecord } from '../../../schema/task.ts';

/** A task with everything that it must have, and what a test wants of it. */
export function taskRecord(wanted: Partial<TaskRecord> & Pick<TaskRecord, 'organizationId' | 'id'>): TaskRecord {
  return {
    version: 1,
    name: `Task ${wanted.id}`,
    code: `CODE-${wanted.id}`,
    taskType: 'delivery',
    status: 'new',
    timeToServe: 'asap',
    scheduledAt: null,
    assignedAt: null,
    acceptedAt: null,
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
    description: null,
    notes: null,
    customerId: 1,
    agentId: null,
    courierType: 'internal',
    // An external courier: what is in transit has somebody who carries it.
    courierId: 1,
    paymentId: null,
    locationId: null,
    pickupLocationId: null,
    channelId: 1,
    parentId: null,
    childIds: null,
    integrationData: null,
    autoAssignmentStatus: 'not_requested',
    autoAssignmentFailureReason: null,
    search: null,
    courier: null,
    preferredAgentId: null,
    readyAt: null,
    windowStart: null,
    windowEnd: null,
    estimatedDuration: null,
    requiredSkills: null,
    amountMinor: null,
    currency: null,
    outcome: null,
    failureReason: null,
    trackingToken: `token-${wanted.id}`,
    rating: null,
    delayedAt: null,
    arrivedAt: null,
    etaAt: null,
    deadlineAt: null,
    createdAt: '2030-01-01T00:00:00.000Z',
    updatedAt: '2030-01-01T00:00:00.000Z',
    ...wanted,
  };
}

/** New tasks at places that were there before them, written as a commit does. */
export async function writeTasks(sql: Sql, tasks: readonly TaskRecord[]): Promise<void> {
  const rows = tasks.map((task) => rowOf(task, { expectedVersion: 0, reusesLocation: true }));
  await write(sql, rows, countDeltas(tasks.map((after) => ({ before: null, after }))), tasks[0]!.organizationId);
}

/** Writes those of `after` that differ from `before`, which stand at the same places of both lists. */
export async function listTasksAnew(
  sql: Sql,
  before: readonly TaskRecord[],
  after: readonly TaskRecord[],
): Promise<void> {
  const changes = after.flatMap((task, index) =>
    task === before[index] ? [] : [{ before: before[index]!, after: task }],
  );
  const relisted = relistedTasks(changes);
  const rows = changes.map(({ before: { version }, after: task }) =>
    rowOf(task, { expectedVersion: version, ...(relisted.has(task.id) ? { relist: true } : {}) }),
  );
  await write(sql, rows, countDeltas(changes), after[0]!.organizationId);
}

function rowOf(task: TaskRecord, marks: object): object {
  const fields = Object.fromEntries(Object.entries(task).filter(([, value]) => value !== null));
  return { ...fields, statusRank: TASK_STATUSES.indexOf(task.status), ...marks };
}

async function write(
  sql: Sql,
  rows: readonly object[],
  deltas: readonly object[],
  organizationId: number,
): Promise<void> {
  const tasks = JSON.stringify(rows);
  const counts = JSON.stringify(deltas.map((delta) => ({ organizationId, ...delta })));
  await sql`SELECT write_tasks(${tasks}::text::json, ${rows.length}, NULL), ${organizationId}::bigint AS organization_id`;
  await sql`SELECT write_task_lists(${tasks}::text::json, ${counts}::text::json, NULL), ${organizationId}::bigint AS organization_id`;
}

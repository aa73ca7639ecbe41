import { countDeltas, relistedTasks } from '../../../engine/org/commit/list-upkeep.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { SEPARATOR } from '../../../engine/store/rows/encode-line.ts';
import { TASK } from '../../../engine/store/rows/record-tables.ts';
import { TASK_STATUSES, type TaskRecord } from '../../../schema/tasks/task.ts';

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
    pickupEtaAt: null,
    pickupArrivedAt: null,
    pickedUpAt: null,
    requirements: null,
    proofs: null,
    movingWhileOpen: false,
    deadlineAt: null,
    createdAt: '2030-01-01T00:00:00.000Z',
    updatedAt: '2030-01-01T00:00:00.000Z',
    awaitingSince: null,
    attempt: 1,
    previousTaskId: null,
    nextTaskId: null,
    contact: null,
    ...wanted,
  };
}

/** New tasks at places that were there before them, written as a commit does. */
export async function writeTasks(sql: Sql, tasks: readonly TaskRecord[]): Promise<void> {
  const rows = tasks.map((task) => lineOf(task, { expectedVersion: 0, reusesLocation: true }));
  const counts = countDeltas(tasks.map((after) => ({ before: null, after })));
  await write(sql, rows, counts, tasks[0]!.organizationId);
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
    lineOf(task, { expectedVersion: version, relist: relisted.has(task.id) }),
  );
  await write(sql, rows, countDeltas(changes), after[0]!.organizationId);
}

interface Marks {
  readonly expectedVersion: number;
  readonly relist?: boolean;
  readonly reusesLocation?: boolean;
}

/** As task_line has it. */
function lineOf(task: TaskRecord, { expectedVersion, relist = false, reusesLocation = false }: Marks): string {
  const rank = TASK_STATUSES.indexOf(task.status);
  return `(${expectedVersion},${rank},${relist},${reusesLocation},,${TASK.encode(task)})`;
}

async function write(
  sql: Sql,
  lines: readonly string[],
  deltas: readonly object[],
  organizationId: number,
): Promise<void> {
  const tasks = lines.join(SEPARATOR);
  const counts = JSON.stringify(deltas.map((delta) => ({ organizationId, ...delta })));
  await sql`SELECT write_tasks(lines_of(${tasks}, ${SEPARATOR}, NULL::task_line[]), ${lines.length}, NULL), ${organizationId}::bigint AS organization_id`;
  await sql`SELECT write_task_lists(lines_of(${tasks}, ${SEPARATOR}, NULL::task_line[]), ${counts}::text::json, NULL), ${organizationId}::bigint AS organization_id`;
}

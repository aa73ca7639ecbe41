import type { AssignmentRequestRecord } from '../../../schema/assignment/assignment.ts';
import type { CustomerOfTask, CustomerRecord } from '../../../schema/customers/customer.ts';
import type { LocationRecord } from '../../../schema/customers/location.ts';
import type { WarehouseRecord } from '../../../schema/customers/warehouse.ts';
import type { AgentOfTask, AgentRecord } from '../../../schema/fleet/agent.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import type { PackageOfTask, PackageRecord } from '../../../schema/tasks/package.ts';
import type { ShownTask, TaskBundle, TaskRecord } from '../../../schema/tasks/task.ts';
import type { AuditedTask } from '../../../schema/tasks/task-changes.ts';
import type { TaskHistoryRecord } from '../../../schema/tasks/task-history.ts';
import { type RecordColumns, recordColumns } from './record-columns.ts';
import { markOf } from './row-mark.ts';

const VERSIONED = { organizationId: 'plain', id: 'plain', version: 'plain' } as const;
const STAMPED = { createdAt: 'time', updatedAt: 'time' } as const;
const PERSON = {
  firstName: 'plain',
  lastName: 'plain',
  email: 'plain',
  countryCode: 'plain',
  phoneNumber: 'plain',
} as const;

export const LOCATION = recordColumns<LocationRecord>({
  organizationId: 'plain',
  id: 'plain',
  address: 'plain',
  latitude: 'plain',
  longitude: 'plain',
  building: 'plain',
  floor: 'plain',
  apartment: 'plain',
});

const PACKAGE_OF_TASK = {
  id: 'plain',
  taskId: 'plain',
  name: 'plain',
  description: 'plain',
  quantity: 'plain',
  weight: 'plain',
  width: 'plain',
  height: 'plain',
  length: 'plain',
  isFragile: 'plain',
  barcode: 'plain',
  notes: 'plain',
  status: 'plain',
  ...STAMPED,
  scannedAt: 'time',
} as const;

export const PACKAGE = recordColumns<PackageRecord>({ ...VERSIONED, ...PACKAGE_OF_TASK });

const SHOWN_PACKAGE = recordColumns<PackageOfTask>(PACKAGE_OF_TASK);

const CUSTOMER_OF_TASK = { id: 'plain', userId: 'plain', customerType: 'plain', ...PERSON } as const;

export const CUSTOMER = recordColumns<CustomerRecord>({
  ...VERSIONED,
  ...CUSTOMER_OF_TASK,
  phoneE164: 'plain',
  address: 'plain',
  ...STAMPED,
});

const SHOWN_CUSTOMER = recordColumns<CustomerOfTask>(CUSTOMER_OF_TASK);

export const WAREHOUSE = recordColumns<WarehouseRecord>({
  ...VERSIONED,
  name: 'plain',
  locationId: 'plain',
  isActive: 'plain',
  ...STAMPED,
});

export const AGENT = recordColumns<AgentRecord>({
  ...VERSIONED,
  userId: 'plain',
  agentType: 'plain',
  isActive: 'plain',
  onDuty: 'plain',
  dutyChangedAt: 'time',
  ...PERSON,
  phoneE164: 'plain',
  vehicle: 'plain',
  skills: 'plain',
  home: 'plain',
  ...STAMPED,
  shifts: 'plain',
  offDutyAt: 'time',
  deadlineAt: 'time',
});

const SHOWN_AGENT = recordColumns<AgentOfTask>({
  organizationId: 'plain',
  id: 'plain',
  userId: 'plain',
  agentType: 'plain',
  ...PERSON,
});

export const ASSIGNMENT_REQUEST = recordColumns<AssignmentRequestRecord>({
  ...VERSIONED,
  taskId: 'plain',
  agentId: 'plain',
  channelId: 'plain',
  status: 'plain',
  mode: 'plain',
  attempt: 'plain',
  score: 'plain',
  distanceM: 'plain',
  etaSeconds: 'plain',
  expiresAt: 'time',
  respondedAt: 'time',
  rejectionReason: 'plain',
  ...STAMPED,
});

export const PAYMENT = recordColumns<PaymentRecord>({
  ...VERSIONED,
  taskId: 'plain',
  customerId: 'plain',
  agentId: 'plain',
  courierId: 'plain',
  channelId: 'plain',
  method: 'plain',
  status: 'plain',
  amountMinor: 'plain',
  currency: 'plain',
  reference: 'plain',
  provider: 'plain',
  providerReference: 'plain',
  checkoutToken: 'plain',
  checkoutPage: 'plain',
  step: 'plain',
  refund: 'plain',
  failureReason: 'plain',
  ...STAMPED,
});

export const TASK = recordColumns<TaskRecord>({
  ...VERSIONED,
  name: 'plain',
  code: 'plain',
  taskType: 'plain',
  status: 'plain',
  timeToServe: 'plain',
  scheduledAt: 'time',
  assignedAt: 'time',
  acceptedAt: 'time',
  startedAt: 'time',
  completedAt: 'time',
  cancelledAt: 'time',
  description: 'plain',
  notes: 'plain',
  customerId: 'plain',
  agentId: 'plain',
  courierType: 'plain',
  courierId: 'plain',
  courier: 'plain',
  paymentId: 'plain',
  locationId: 'plain',
  pickupLocationId: 'plain',
  channelId: 'plain',
  parentId: 'plain',
  childIds: 'plain',
  integrationData: 'plain',
  autoAssignmentStatus: 'plain',
  autoAssignmentFailureReason: 'plain',
  search: 'plain',
  preferredAgentId: 'plain',
  readyAt: 'time',
  windowStart: 'time',
  windowEnd: 'time',
  estimatedDuration: 'plain',
  requiredSkills: 'plain',
  amountMinor: 'plain',
  currency: 'plain',
  outcome: 'plain',
  failureReason: 'plain',
  trackingToken: 'plain',
  rating: 'plain',
  delayedAt: 'time',
  arrivedAt: 'time',
  etaAt: 'time',
  deadlineAt: 'time',
  ...STAMPED,
  awaitingSince: 'time',
  attempt: 'plain',
  previousTaskId: 'plain',
  nextTaskId: 'plain',
  contact: 'plain',
  pickupEtaAt: 'time',
  pickupArrivedAt: 'time',
  pickedUpAt: 'time',
  requirements: 'plain',
  proofs: 'plain',
  movingWhileOpen: 'plain',
});

export const TASK_HISTORY = recordColumns<TaskHistoryRecord>({
  organizationId: 'plain',
  taskId: 'plain',
  sequence: 'plain',
  at: 'time',
  recordedAt: 'time',
  kind: 'plain',
  fromStatus: 'plain',
  toStatus: 'plain',
  reason: 'plain',
  reasonCode: 'plain',
  details: 'plain',
  actorType: 'plain',
  actorId: 'plain',
  correlationId: 'plain',
  address: 'plain',
  changes: 'plain',
});

/**
 * The row that a column of task `t` names, looked up for each task: how many tasks there are no planner can guess. In the
 * order of its id, which the primary key alone has: planned on a table of a few rows, every index looks as good.
 */
const named = (json: string, table: string, column: string) =>
  `(SELECT ${json} FROM ${table} r WHERE r.organization_id = t.organization_id
      AND r.id BETWEEN t.${column} AND t.${column} ORDER BY r.id LIMIT 1)`;

const packagesJson = ({ json }: Pick<RecordColumns<unknown>, 'json'>) =>
  `array_to_json(ARRAY(SELECT ${json('p')} FROM packages p
      WHERE p.organization_id = t.organization_id AND p.task_id = t.id ORDER BY p.id))`;

/** The marks of all rows that the JSON of a task `t` shows, as one text: under one stamp a task has one JSON. */
export const TASK_STAMP = `concat_ws(' ', ${markOf('t')}, ${named(markOf('r'), 'customers', 'customer_id')},
  ${named(markOf('r'), 'agents', 'agent_id')}, task_parts_stamp(t.organization_id, t.child_ids))`;

/** A task row `t` with its packages alone: a select list. */
export const AUDITED_TASK_COLUMNS = `${TASK.json('t')} AS task, ${packagesJson(PACKAGE)} AS packages`;

export function auditedTaskOfRow(row: { readonly task: Json; readonly packages: readonly Json[] }): AuditedTask {
  return { task: TASK.ofJson(row.task), packages: row.packages.map(PACKAGE.ofJson) };
}

type Json = readonly unknown[];
type OfTask = readonly [
  customer: Json | null,
  agent: Json | null,
  location: Json | null,
  pickupLocation: Json | null,
  packages: readonly Json[],
  parts: readonly Part[] | null,
];
type Row = Readonly<Record<string, unknown>>;
/** As task_parts makes it. */
type Part = readonly [
  task: Row,
  customer: Row | null,
  agent: Row | null,
  location: Row | null,
  pickupLocation: Row | null,
  packages: readonly Row[],
];

/** The part of a task that a statement reads. */
export interface TaskColumns<T> {
  /** Parts of a task's row `t`: a select list, for rows that are read as arrays of values. */
  readonly list: string;
  /** The task of a row whose last columns these are. */
  readonly ofRow: (row: readonly unknown[]) => T;
}

type RowColumns = Pick<RecordColumns<unknown>, 'list' | 'json'>;
const rowJson = ({ json }: RowColumns) => json('r');
/** With the mark of the row behind its columns. */
const markedJson = ({ list }: RowColumns) => `json_build_array(${list('r')}, ${markOf('r')})`;

/** With as much of customer and packages as is asked for: each column costs more in JSON than in the row. */
function taskColumns<C, P>(customers: RecordColumns<C>, packages: RecordColumns<P>, jsonOf = rowJson) {
  type Told = Omit<ShownTask, 'customer' | 'packages' | 'children'> & {
    readonly customer: C | null;
    readonly packages: readonly P[];
    readonly children: readonly Told[];
  };
  const columns = [
    TASK.list('t'),
    named(jsonOf(customers), 'customers', 'customer_id'),
    named(jsonOf(SHOWN_AGENT), 'agents', 'agent_id'),
    named(LOCATION.json('r'), 'locations', 'location_id'),
    named(LOCATION.json('r'), 'locations', 'pickup_location_id'),
    packagesJson(packages),
    'task_parts(t.organization_id, t.child_ids)',
  ];
  const ofPart = ([task, customer, agent, location, pickupLocation, parcels]: Part): Told => ({
    task: TASK.ofObject(task),
    customer: customer && customers.ofObject(customer),
    agent: agent && SHOWN_AGENT.ofObject(agent),
    location: location && LOCATION.ofObject(location),
    pickupLocation: pickupLocation && LOCATION.ofObject(pickupLocation),
    packages: parcels.map(packages.ofObject),
    children: NO_PARTS,
  });
  const width = TASK.names.length + columns.length - 1;
  const ofRow = (row: readonly unknown[]): Told => {
    const start = row.length - width;
    const [customer, agent, location, pickupLocation, parcels, parts] = row.slice(
      start + TASK.names.length,
    ) as unknown as OfTask;
    return {
      task: TASK.ofValues(row, start),
      customer: customer && customers.ofJson(customer),
      agent: agent && SHOWN_AGENT.ofJson(agent),
      location: location && LOCATION.ofJson(location),
      pickupLocation: pickupLocation && LOCATION.ofJson(pickupLocation),
      packages: parcels.map(packages.ofJson),
      children: parts ? parts.map(ofPart) : NO_PARTS,
    };
  };
  return { list: columns.join(', '), width, ofRow };
}

const NO_PARTS: readonly never[] = [];

export const BUNDLE: TaskColumns<TaskBundle> = taskColumns(CUSTOMER, PACKAGE);
export const SHOWN_TASK: TaskColumns<ShownTask> = taskColumns(SHOWN_CUSTOMER, SHOWN_PACKAGE);

/** A task as lists show it, with the stamp that TASK_STAMP would give it. */
export interface StampedShownTask {
  readonly stamp: string;
  readonly shown: ShownTask;
}

const MARKED_TASK = taskColumns(SHOWN_CUSTOMER, SHOWN_PACKAGE, markedJson);

/** The marks come along with the rows that a task shows: TASK_STAMP beside them would look up customer and agent twice. */
export const STAMPED_SHOWN_TASK: TaskColumns<StampedShownTask> = {
  list: `${markOf('t')}, task_parts_stamp(t.organization_id, t.child_ids), ${MARKED_TASK.list}`,
  ofRow: (row) => {
    const start = row.length - MARKED_TASK.width;
    const [own, ofParts] = row.slice(start - 2, start) as [string, string | null];
    const [customer, agent] = row.slice(start + TASK.names.length) as unknown as OfTask;
    const marks = [own, customer?.at(-1), agent?.at(-1), ofParts];
    return { stamp: marks.filter((mark) => (mark ?? null) !== null).join(' '), shown: MARKED_TASK.ofRow(row) };
  },
};

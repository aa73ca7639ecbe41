import type { AgentOfTask, AgentRecord } from '../../schema/agent.ts';
import type { AssignmentRequestRecord } from '../../schema/assignment.ts';
import type { CustomerRecord } from '../../schema/customer.ts';
import type { LocationRecord } from '../../schema/location.ts';
import type { PackageRecord } from '../../schema/package.ts';
import type { PaymentRecord } from '../../schema/payment.ts';
import type { TaskBundle, TaskRecord } from '../../schema/task.ts';
import type { AuditedTask } from '../../schema/task-changes.ts';
import type { WarehouseRecord } from '../../schema/warehouse.ts';
import { recordColumns } from './record-columns.ts';

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

export const PACKAGE = recordColumns<PackageRecord>({
  ...VERSIONED,
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
});

export const CUSTOMER = recordColumns<CustomerRecord>({
  ...VERSIONED,
  userId: 'plain',
  customerType: 'plain',
  ...PERSON,
  phoneE164: 'plain',
  address: 'plain',
  ...STAMPED,
});

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

const TASK = recordColumns<TaskRecord>({
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
});

/** The row that a column of task `t` names, looked up for each task: how many tasks there are no planner can guess. */
const named = (json: string, table: string, column: string) =>
  `(SELECT ${json} FROM ${table} r WHERE r.organization_id = t.organization_id AND r.id = t.${column})`;

const CUSTOMER_OF_TASK = named(CUSTOMER.json('r'), 'customers', 'customer_id');
const AGENT_OF_TASK = named(SHOWN_AGENT.json('r'), 'agents', 'agent_id');
const LOCATION_OF_TASK = named(LOCATION.json('r'), 'locations', 'location_id');
const PICKUP_OF_TASK = named(LOCATION.json('r'), 'locations', 'pickup_location_id');
const PACKAGES_OF_TASK = `array_to_json(ARRAY(SELECT ${PACKAGE.json('p')} FROM packages p
      WHERE p.organization_id = t.organization_id AND p.task_id = t.id ORDER BY p.id))`;

/** The parts of a job `t`, each as `PartJson`, in the order of the job; null for a task that is none. */
const PARTS_OF_TASK = `CASE WHEN t.child_ids IS NULL THEN NULL ELSE (
    SELECT json_agg(f.bundle ORDER BY f.place) FROM (
      SELECT w.place, json_build_array(${TASK.json('t')}, ${CUSTOMER_OF_TASK}, ${AGENT_OF_TASK}, ${LOCATION_OF_TASK},
        ${PICKUP_OF_TASK}, ${PACKAGES_OF_TASK}) AS bundle
      FROM (SELECT t.organization_id, t.child_ids) j
      CROSS JOIN json_array_elements_text(j.child_ids) WITH ORDINALITY AS w(child_id, place)
      JOIN tasks t ON t.organization_id = j.organization_id AND t.id = w.child_id::bigint) f) END`;

/** What makes a bundle of a task row `t`: a select list, for rows that are read as arrays of values. */
export const BUNDLE_COLUMNS = `${TASK.list('t')}, ${CUSTOMER_OF_TASK}, ${AGENT_OF_TASK}, ${LOCATION_OF_TASK},
    ${PICKUP_OF_TASK}, ${PACKAGES_OF_TASK}, ${PARTS_OF_TASK}`;

/** A task row `t` with its packages alone: a select list. */
export const AUDITED_TASK_COLUMNS = `${TASK.json('t')} AS task, ${PACKAGES_OF_TASK} AS packages`;

type Json = readonly unknown[];
type OfTask = readonly [
  customer: Json | null,
  agent: Json | null,
  location: Json | null,
  pickupLocation: Json | null,
  packages: readonly Json[],
];
type PartJson = readonly [task: Json, ...OfTask];

/** The bundle of a row whose BUNDLE_COLUMNS are its last. */
export function bundleOfRow(row: readonly unknown[]): TaskBundle {
  const start = row.length - TASK.count - 6;
  const ofTask = row.slice(start + TASK.count, -1) as unknown as OfTask;
  const parts = row.at(-1) as readonly PartJson[] | null;
  return bundleOf(TASK.ofValues(row, start), ofTask, parts ? parts.map(bundleOfPart) : NO_PARTS);
}

export function auditedTaskOfRow(row: { readonly task: Json; readonly packages: readonly Json[] }): AuditedTask {
  return { task: TASK.ofJson(row.task), packages: row.packages.map(PACKAGE.ofJson) };
}

const NO_PARTS: readonly TaskBundle[] = [];

function bundleOfPart([task, ...ofTask]: PartJson): TaskBundle {
  return bundleOf(TASK.ofJson(task), ofTask, NO_PARTS);
}

function bundleOf(
  task: TaskRecord,
  [customer, agent, location, pickupLocation, packages]: OfTask,
  children: readonly TaskBundle[],
): TaskBundle {
  return {
    task,
    customer: customer && CUSTOMER.ofJson(customer),
    agent: agent && SHOWN_AGENT.ofJson(agent),
    location: location && LOCATION.ofJson(location),
    pickupLocation: pickupLocation && LOCATION.ofJson(pickupLocation),
    packages: packages.map(PACKAGE.ofJson),
    children,
  };
}

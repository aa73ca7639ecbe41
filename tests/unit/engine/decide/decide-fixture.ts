import type { DecideContext, Decision } from '../../../../engine/org/decide/decision.ts';
import { Draft } from '../../../../engine/org/state/draft.ts';
import { OrgState } from '../../../../engine/org/state/org-state.ts';
import type { CallerRole } from '../../../../schema/accounts/role.ts';
import type { AssignmentRequestRecord, TaskSearch } from '../../../../schema/assignment/assignment.ts';
import type { CourierRecord } from '../../../../schema/assignment/courier.ts';
import type { Caller } from '../../../../schema/commands.ts';
import type { CustomerRecord } from '../../../../schema/customers/customer.ts';
import type { LocationRecord } from '../../../../schema/customers/location.ts';
import type { AgentRecord } from '../../../../schema/fleet/agent.ts';
import type { PackageRecord, PackageStatus } from '../../../../schema/tasks/package.ts';
import type { TaskBundle, TaskRecord, TaskStatus } from '../../../../schema/tasks/task.ts';

/** An organization in memory as its actor has it after reading a task, without an actor or a store. */

const organizationId = 1;
export const TASK = 100;
const CHILD = 101;
const JOB = 102;
export const PACKAGE = 500;
export const OWN_AGENT = 7;
export const OTHER_AGENT = 8;
const CUSTOMER = 9;

const CREATED = '2031-05-01T08:00:00.000Z';
export const NOW = '2031-05-01T12:00:00.000Z';
/** An hour of the same day. */
export const at = (hour: number) => new Date(Date.parse('2031-05-01T00:00:00Z') + hour * 3_600_000).toISOString();
/** A place that no task has yet. */
export const PLACE = { address: 'Quay 2', latitude: 51.6, longitude: -0.2 };

/** The kind of the task in the table, and its provider. */
export type Shape = 'unserved' | 'by an agent' | 'by an external courier' | 'a job' | 'a child';

const SERVED_BY: Readonly<Record<Shape, Partial<TaskRecord>>> = {
  unserved: {},
  'by an agent': { agentId: OWN_AGENT },
  'by an external courier': { courierType: 'external', courierId: 3 },
  'a job': { childIds: [CHILD] },
  'a child': { agentId: OWN_AGENT, parentId: JOB },
};

export interface StateOptions {
  readonly packageStatus?: PackageStatus;
  readonly hasAmount?: boolean;
  /** Further fields of the task. */
  readonly fields?: Partial<TaskRecord>;
  /** The same of the job that a child is a part of. */
  readonly jobFields?: Partial<TaskRecord>;
}

/** Memory with one task of this shape in this status, its family and a package of it. */
export function stateWith(shape: Shape, status: TaskStatus, options: StateOptions = {}): OrgState {
  const state = new OrgState({
    organization: {
      organizationId,
      version: 1,
      name: 'Fixture',
      status: 'active',
      currency: 'USD',
      limits: {},
      settings: {},
      createdAt: CREATED,
      updatedAt: CREATED,
    },
    lastSequence: 10,
    lastAt: CREATED,
    nextDeadlineAt: null,
    openTasks: 0,
    movingTasks: 0,
    usage: [],
  });
  const money = options.hasAmount ? { amountMinor: 1250, currency: 'USD', taskType: 'cash_collection' as const } : {};
  const task = bundle({ id: TASK, status, ...SERVED_BY[shape], ...money, ...options.fields }, [
    packageRecord(options.packageStatus ?? 'pending'),
  ]);
  if (shape === 'a job') {
    const child = bundle({ id: CHILD, status, parentId: TASK, agentId: OWN_AGENT });
    state.absorbTask({ ...task, children: [child] });
  } else if (shape === 'a child') {
    const job = bundle({ id: JOB, status, childIds: [TASK], ...options.jobFields });
    state.absorbTask({ ...job, children: [task] });
  } else {
    state.absorbTask(task);
  }
  return state;
}

/** Decides on top of the state; what was drafted is thrown away unless `applied`. */
export function decideOn(
  state: OrgState,
  decide: (draft: Draft, context: DecideContext) => Decision,
): { readonly decision: Decision; readonly draft: Draft } {
  const draft = new Draft(state);
  let lastId = 1_000;
  const context: DecideContext = {
    now: NOW,
    random: { uuid: () => '00000000-0000-4000-8000-000000000000', text: (length) => 'A'.repeat(length) },
    nextId: () => ++lastId,
  };
  return { decision: decide(draft, context), draft };
}

export function callerOf(role: CallerRole, agentId: number | null = null): Caller {
  const type = role === 'system' ? 'system' : role === 'integration' ? 'channel' : 'user';
  return { type, id: 5, channelId: 6, role, agentId };
}

function bundle(task: Partial<TaskRecord>, packages: readonly PackageRecord[] = []): TaskBundle {
  return { task: taskRecord(task), customer, agent: null, location, pickupLocation: null, packages, children: [] };
}

const customer: CustomerRecord = {
  organizationId,
  id: CUSTOMER,
  version: 1,
  userId: 10,
  customerType: 'individual',
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: null,
  phoneE164: '+442079460001',
  countryCode: '+44',
  phoneNumber: '2079460001',
  address: null,
  createdAt: CREATED,
  updatedAt: CREATED,
};

const location: LocationRecord = {
  organizationId,
  id: 20,
  address: '1 Main Street',
  latitude: 51.5,
  longitude: -0.1,
  building: null,
  floor: null,
  apartment: null,
};

function packageRecord(status: PackageStatus): PackageRecord {
  return {
    organizationId,
    id: PACKAGE,
    version: 3,
    taskId: TASK,
    name: 'Box',
    description: 'Box',
    quantity: 1,
    weight: null,
    width: null,
    height: null,
    length: null,
    isFragile: false,
    barcode: null,
    notes: null,
    status,
    createdAt: CREATED,
    updatedAt: CREATED,
    scannedAt: null,
  };
}

export function taskRecord(fields: Partial<TaskRecord>): TaskRecord {
  return {
    organizationId,
    id: TASK,
    version: 4,
    name: 'A task',
    code: `T-${fields.id}`,
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
    customerId: CUSTOMER,
    locationId: location.id,
    pickupLocationId: null,
    agentId: null,
    courierType: 'internal',
    courierId: null,
    paymentId: null,
    channelId: 6,
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
    outcome: fields.status === 'completed' ? 'succeeded' : null,
    failureReason: null,
    trackingToken: 'token',
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
    createdAt: CREATED,
    updatedAt: CREATED,
    awaitingSince: null,
    attempt: 1,
    previousTaskId: null,
    nextTaskId: null,
    contact: null,
    ...fields,
  };
}

/** A request to the task's own agent that waits for its answer. */
export function openRequest(fields: Partial<AssignmentRequestRecord> = {}): AssignmentRequestRecord {
  return {
    organizationId,
    id: 70,
    version: 1,
    taskId: TASK,
    agentId: OWN_AGENT,
    channelId: 6,
    status: 'pending',
    mode: 'sequential',
    attempt: 1,
    score: 1,
    distanceM: null,
    etaSeconds: null,
    expiresAt: '2031-05-01T13:00:00.000Z',
    respondedAt: null,
    rejectionReason: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...fields,
  };
}

/** A search with these open requests. */
export function searchThatAsks(...open: AssignmentRequestRecord[]): TaskSearch {
  const until = '2031-05-01T13:00:00.000Z';
  const asked = { attempts: open.length, open, rejectedBy: [], expiredBy: [], lacking: null, notedAt: null };
  return { since: NOW, startsAt: null, until, ...asked };
}

export function agentRecord(fields: Partial<AgentRecord>): AgentRecord {
  return {
    organizationId,
    id: OWN_AGENT,
    version: 1,
    userId: 107,
    agentType: 'employee',
    isActive: true,
    onDuty: true,
    dutyChangedAt: null,
    firstName: 'Amina',
    lastName: 'Diallo',
    email: null,
    countryCode: null,
    phoneNumber: null,
    phoneE164: null,
    vehicle: null,
    skills: [],
    home: null,
    createdAt: CREATED,
    updatedAt: CREATED,
    shifts: null,
    offDutyAt: null,
    deadlineAt: null,
    ...fields,
  };
}

/** An external courier whose vehicle carries everything. */
export function courierRecord(fields: Partial<CourierRecord> = {}): CourierRecord {
  return {
    id: 3,
    name: 'Billie',
    provider: 'fleet',
    externalId: 'bike',
    phoneNumber: null,
    countryCode: null,
    vehicleType: 'bike',
    vehicle: { maxWeightKg: null, maxVolumeM3: null, maxPackages: null },
    trackingUrl: null,
    ...fields,
  };
}

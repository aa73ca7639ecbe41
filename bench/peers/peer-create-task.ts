import { dueAtOf } from '../../engine/domain/tasks/delay.ts';
import { isoTime } from '../../engine/runtime/clock.ts';
import { BASE64_URL, CROCKFORD_BASE32, createRandomSource } from '../../engine/runtime/random.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import { encodeTask } from '../../engine/views/task-view.ts';
import { type CustomerRecord, splitName } from '../../schema/customers/customer.ts';
import type { LocationRecord } from '../../schema/customers/location.ts';
import { type EventType, eventId } from '../../schema/events.ts';
import { parsePhone } from '../../schema/fields/phone.ts';
import type { PackageRecord } from '../../schema/tasks/package.ts';
import type { TaskBundle, TaskRecord } from '../../schema/tasks/task.ts';
import type { Counting, Transaction } from './counting.ts';
import {
  insertCustomer,
  insertEvent,
  insertHistory,
  insertLocation,
  insertPackage,
  insertTask,
  type New,
} from './peer-rows.ts';
import type { PeerPackage, PeerTaskBody } from './peer-schema.ts';

export interface PeerCaller {
  readonly organizationId: number;
  readonly channelId: number;
  readonly userId: number;
}

/** A well-formed request that still cannot be carried out. */
export class PeerRefusal extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

export interface CreatedTask {
  readonly taskJson: string;
  readonly sequence: number;
  readonly eventBody: string;
}

/** Stands for our log's incarnation. */
export const PEER_HISTORY = 'peer';

const random = createRandomSource();

/**
 * Creates a task in one transaction of its own and resolves when it is committed: independent statements are sent
 * together, and the rows that other transactions wait for are touched last.
 */
export function createPeerTask(
  sql: Sql,
  counting: Counting,
  caller: PeerCaller,
  body: PeerTaskBody,
): Promise<CreatedTask> {
  const { organizationId } = caller;
  const now = isoTime(Date.now());
  return sql.begin(async (tx) => {
    const [{ customer, isNew }, location, pickupLocation] = await Promise.all([
      resolveCustomer(tx, organizationId, body, now),
      resolveLocation(tx, organizationId, body.locationId, body.location),
      resolveLocation(tx, organizationId, undefined, body.pickupLocation),
    ]);
    const task = await insertTask(tx, newTask(caller, body, now, { customer, location, pickupLocation }));
    const [sequence, ...packages] = await Promise.all([
      counting.nextSequence(tx, organizationId),
      ...(body.packages ?? []).map((item) => insertPackage(tx, newPackage(task, item))),
    ]);
    const taskJson = encodeTask({ task, customer, agent: null, location, pickupLocation, packages, children: [] });
    const event = { organizationId, channelId: task.channelId, type: 'task.created', at: now, sequence } as const;
    const eventBody = encodePeerEvent(event, `"task":${taskJson}`);
    await Promise.all([
      insertEvent(tx, { ...event, body: eventBody }),
      insertHistory(tx, {
        organizationId,
        taskId: task.id,
        sequence,
        at: now,
        kind: 'created',
        toStatus: task.status,
        channelId: caller.channelId,
      }),
      counting.countUsage(tx, organizationId, 'tasks', now),
      ...(isNew ? [counting.countUsage(tx, organizationId, 'customers', now)] : []),
    ]);
    return { taskJson, sequence, eventBody };
  }) as Promise<CreatedTask>;
}

async function resolveCustomer(tx: Transaction, organizationId: number, body: PeerTaskBody, now: string) {
  if (body.customerId !== undefined) {
    const found = await tx<CustomerRecord[]>`
      SELECT * FROM customers WHERE organization_id = ${organizationId} AND id = ${body.customerId}`;
    if (!found[0]) throw new PeerRefusal(404, `Customer with ID ${body.customerId} not found`);
    return { customer: found[0], isNew: false };
  }
  const { name, phone: phoneText, email } = body.customer!;
  const phone = parsePhone(phoneText);
  if (!phone) throw new PeerRefusal(400, 'customer.phone must be a possible phone number with its country code');
  const known = await findCustomerByPhone(tx, organizationId, phone.e164);
  if (known) return { customer: known, isNew: false };
  const made = await insertCustomer(tx, {
    organizationId,
    version: 1,
    customerType: 'individual',
    ...splitName(name),
    email: email ?? null,
    phoneE164: phone.e164,
    countryCode: phone.countryCode,
    phoneNumber: phone.number,
    address: null,
    createdAt: now,
    updatedAt: now,
  });
  if (made) return { customer: made, isNew: true };
  return { customer: (await findCustomerByPhone(tx, organizationId, phone.e164))!, isNew: false };
}

async function findCustomerByPhone(tx: Transaction, organizationId: number, e164: string) {
  const found = await tx<CustomerRecord[]>`
    SELECT * FROM customers WHERE organization_id = ${organizationId} AND phone_e164 = ${e164}`;
  return found[0];
}

async function resolveLocation(
  tx: Transaction,
  organizationId: number,
  id: number | undefined,
  given: PeerTaskBody['pickupLocation'],
): Promise<LocationRecord | null> {
  if (id !== undefined) {
    const found = await tx<LocationRecord[]>`
      SELECT * FROM locations WHERE organization_id = ${organizationId} AND id = ${id}`;
    if (!found[0]) throw new PeerRefusal(404, `Location with ID ${id} not found`);
    return found[0];
  }
  if (!given) return null;
  const { address, latitude, longitude, building = null, floor = null, apartment = null } = given;
  return insertLocation(tx, { organizationId, address, latitude, longitude, building, floor, apartment });
}

function newTask(
  { organizationId, channelId }: PeerCaller,
  body: PeerTaskBody,
  now: string,
  { customer, location, pickupLocation }: Pick<TaskBundle, 'customer' | 'location' | 'pickupLocation'>,
): New<TaskRecord> {
  const timeToServe = body.timeToServe ?? 'asap';
  const scheduledAt = timeToServe === 'scheduled' ? body.scheduledAt! : null;
  const estimatedDuration = body.estimatedDuration ?? null;
  const windowEnd = body.windowEnd ?? null;
  const deadlineAt = dueAtOf({ timeToServe, scheduledAt, createdAt: now, estimatedDuration, windowEnd });
  return {
    organizationId,
    version: 1,
    name: body.name,
    code: body.code ?? `TSK-${random.text(10, CROCKFORD_BASE32)}`,
    taskType: body.taskType,
    status: 'new',
    timeToServe,
    scheduledAt,
    assignedAt: null,
    acceptedAt: null,
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
    description: body.description ?? null,
    notes: body.notes ?? null,
    customerId: customer!.id,
    locationId: location?.id ?? null,
    pickupLocationId: pickupLocation?.id ?? null,
    agentId: null,
    courierType: 'internal',
    courierId: null,
    paymentId: null,
    channelId,
    parentId: null,
    childIds: null,
    integrationData: null,
    autoAssignmentStatus: 'not_requested',
    autoAssignmentFailureReason: null,
    search: null,
    courier: null,
    preferredAgentId: null,
    readyAt: body.readyAt ?? null,
    windowStart: body.windowStart ?? null,
    windowEnd,
    estimatedDuration,
    requiredSkills: null,
    amountMinor: null,
    currency: null,
    outcome: null,
    failureReason: null,
    trackingToken: random.text(22, BASE64_URL),
    rating: null,
    delayedAt: null,
    ...{ arrivedAt: null, etaAt: null, pickupEtaAt: null, pickupArrivedAt: null, pickedUpAt: null },
    ...{ requirements: null, proofs: null, movingWhileOpen: true },
    deadlineAt,
    createdAt: now,
    updatedAt: now,
    awaitingSince: null,
    attempt: 1,
    previousTaskId: null,
    nextTaskId: null,
    contact: null,
  };
}

function newPackage(task: TaskRecord, item: PeerPackage): New<PackageRecord> {
  const name = item.name?.trim() ? item.name : item.description!;
  return {
    organizationId: task.organizationId,
    version: 1,
    taskId: task.id,
    name,
    description: item.description?.trim() ? item.description : name,
    quantity: item.quantity ?? 1,
    weight: item.weight ?? null,
    width: item.width ?? null,
    height: item.height ?? null,
    length: item.length ?? null,
    isFragile: item.isFragile ?? false,
    barcode: item.barcode ?? null,
    notes: item.notes ?? null,
    status: 'pending',
    createdAt: task.createdAt,
    updatedAt: task.createdAt,
    scannedAt: null,
  };
}

/** `data`: the text between the braces of the event's data. */
export function encodePeerEvent(
  event: {
    readonly organizationId: number;
    readonly channelId: number;
    readonly type: EventType;
    readonly at: string;
    readonly sequence: number;
  },
  data: string,
): string {
  const { organizationId, channelId, type, at, sequence } = event;
  return (
    `{"id":"${eventId(PEER_HISTORY, organizationId, sequence)}","type":"${type}","timestamp":"${at}",` +
    `"apiVersion":"v1","organizationId":${organizationId},"channelId":${channelId},"sequence":${sequence},` +
    `"data":{${data}}}`
  );
}

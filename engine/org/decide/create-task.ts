import type { CreateTask } from '../../../schema/commands.ts';
import type { CreateTaskInput } from '../../../schema/create-task.ts';
import { notFound, type Refusal, refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { LocationInput, LocationRecord } from '../../../schema/location.ts';
import type { PackageInput, PackageRecord } from '../../../schema/package.ts';
import { isTerminal, type TaskRecord } from '../../../schema/task.ts';
import { delayedAfterMs } from '../../domain/delay.ts';
import { checkQuota, quotaPeriod } from '../../domain/quota.ts';
import { BASE64_URL, CROCKFORD_BASE32 } from '../../runtime/random.ts';
import type { Change } from '../changes.ts';
import type { OrgState } from '../org-state.ts';
import { type CustomerMatch, matchCustomer } from './customer-match.ts';
import { type DecideContext, type Decision, refuse } from './decision.ts';

const CODE_CHARS = 10;
const TRACKING_TOKEN_CHARS = 22;

/**
 * POST /tasks. Refuses, in this order: 404 for the first unknown id in field order; 409 TASK_CODE_TAKEN,
 * 409 PACKAGE_ATTACHED; 403 PACKAGE_LIMIT_EXCEEDED. Otherwise the task, its customer, locations and packages.
 */
export function decideCreateTask(state: OrgState, command: CreateTask, context: DecideContext): Decision {
  const { input, caller } = command;
  const problem = missingRecord(state, input, caller.channelId) ?? conflict(state, input);
  if (problem) return refuse(problem);

  const customer = matchCustomer(state, input, context);
  const period = quotaPeriod('tasks', context.now);
  const used = state.usedOf('tasks', period);
  const overQuota =
    checkQuota('tasks', state.limits['tasks'], used, 1, context.now) ?? customerQuota(state, customer, context.now);
  if (overQuota) return refuse(overQuota);

  const location = resolveLocation(state, input.locationId, input.location, context);
  const pickupLocation = resolveLocation(state, null, input.pickupLocation, context);
  const task = newTask(state, input, caller.channelId, context, {
    customerId: customer.record.id,
    locationId: location?.record.id ?? null,
    pickupLocationId: pickupLocation?.record.id ?? null,
  });
  const moved = [...new Set(input.packageIds)].map((id) => movePackage(state, id, task.id, context.now));
  const packages = [
    ...(input.packages ?? []).map((item) => newPackage(state, item, task.id, context)),
    ...moved.map(({ after }) => after),
  ].sort((a, b) => a.id - b.id);

  const changes: Change[] = [
    ...customer.changes,
    ...(customer.isNew ? [countUsage(state, 'customers', context.now)] : []),
    { kind: 'usage-counted', resource: 'tasks', period, used: used + 1 },
    ...moved,
    {
      kind: 'task-created',
      task,
      location: location?.record ?? null,
      pickupLocation: pickupLocation?.record ?? null,
      newLocations: [location, pickupLocation].flatMap((found) => (found?.isNew ? [found.record] : [])),
      packages,
    },
  ];
  return { ok: true, changes, status: 201, taskId: task.id };
}

function missingRecord(state: OrgState, input: CreateTaskInput, ownChannelId: number): Refusal | undefined {
  const { customerId, locationId, channelId, packageIds, preferredAgentId } = input;
  if (customerId && !state.findCustomer(customerId)) return notFound('Customer', customerId);
  if (locationId && !state.findLocation(locationId)) return notFound('Location', locationId);
  if (channelId && channelId !== ownChannelId && !state.hasChannel(channelId)) return notFound('Channel', channelId);
  const unknownPackage = packageIds?.find((id) => !state.findPackage(id));
  if (unknownPackage) return notFound('Package', unknownPackage);
  if (preferredAgentId && !state.findAgent(preferredAgentId)) return notFound('Agent', preferredAgentId);
  return undefined;
}

function conflict(state: OrgState, input: CreateTaskInput): Refusal | undefined {
  if (input.code && state.findTaskByCode(input.code))
    return refusal('TASK_CODE_TAKEN', undefined, { code: input.code });
  const attached = input.packageIds?.find((id) => !isFree(state, id));
  return attached ? refusal('PACKAGE_ATTACHED', undefined, { packageId: attached }) : undefined;
}

/** A package can move when it has no task, or when its task has ended and it was not delivered. */
function isFree(state: OrgState, id: number): boolean {
  const { record, owner } = state.findPackage(id)!;
  return owner === null || (isTerminal(owner.status) && record.status !== 'delivered');
}

function customerQuota(state: OrgState, customer: CustomerMatch, now: string): Refusal | undefined {
  if (!customer.isNew) return undefined;
  const used = state.usedOf('customers', quotaPeriod('customers', now));
  return checkQuota('customers', state.limits['customers'], used, 1, now);
}

function countUsage(state: OrgState, resource: 'customers', now: string): Change {
  const period = quotaPeriod(resource, now);
  return { kind: 'usage-counted', resource, period, used: state.usedOf(resource, period) + 1 };
}

function resolveLocation(
  state: OrgState,
  id: number | null | undefined,
  input: LocationInput | null | undefined,
  context: DecideContext,
): { readonly record: LocationRecord; readonly isNew: boolean } | undefined {
  if (id) return { record: state.findLocation(id)!, isNew: false };
  if (!input) return undefined;
  const { address, latitude, longitude, building, floor, apartment } = input;
  const record = {
    organizationId: state.organizationId,
    id: context.nextId('location'),
    address,
    latitude,
    longitude,
    building: building ?? null,
    floor: floor ?? null,
    apartment: apartment ?? null,
  };
  return { record, isNew: true };
}

function newTask(
  state: OrgState,
  input: CreateTaskInput,
  ownChannelId: number,
  context: DecideContext,
  links: Pick<TaskRecord, 'customerId' | 'locationId' | 'pickupLocationId'>,
): TaskRecord {
  const { now, random } = context;
  const code = input.code ?? `TSK-${random.text(CODE_CHARS, CROCKFORD_BASE32)}`;
  const timeToServe = input.timeToServe ?? 'asap';
  const scheduledAt = timeToServe === 'scheduled' ? input.scheduledAt! : null;
  const estimatedDuration = input.estimatedDuration ?? null;
  const delayedAfter = delayedAfterMs({ timeToServe, scheduledAt, createdAt: now, estimatedDuration });
  return {
    organizationId: state.organizationId,
    id: context.nextId('task'),
    version: 1,
    name: input.name ?? code,
    code,
    taskType: input.taskType,
    status: 'new',
    timeToServe,
    scheduledAt,
    assignedAt: null,
    acceptedAt: null,
    startedAt: null,
    completedAt: null,
    description: input.description ?? null,
    notes: input.notes ?? null,
    customerId: links.customerId,
    locationId: links.locationId,
    pickupLocationId: links.pickupLocationId,
    agentId: null,
    courierType: 'internal',
    courierId: null,
    paymentId: null,
    channelId: input.channelId ?? ownChannelId,
    parentId: null,
    integrationData: input.integrationData ?? null,
    autoAssignmentStatus: input.autoAssign ? 'pending' : 'not_requested',
    autoAssignmentFailureReason: null,
    preferredAgentId: input.preferredAgentId ?? null,
    readyAt: input.readyAt ?? null,
    windowStart: input.windowStart ?? null,
    windowEnd: input.windowEnd ?? null,
    estimatedDuration,
    requiredSkills: input.requiredSkills ?? null,
    amountMinor: null,
    currency: null,
    outcome: null,
    failureReason: null,
    trackingToken: random.text(TRACKING_TOKEN_CHARS, BASE64_URL),
    delayedAt: null,
    deadlineAt: new Date(Math.min(delayedAfter, LIMITS.latestTimeMs)).toISOString(),
    createdAt: now,
    updatedAt: now,
  };
}

function newPackage(state: OrgState, input: PackageInput, taskId: number, context: DecideContext): PackageRecord {
  const name = input.name?.trim() ? input.name : input.description!;
  return {
    organizationId: state.organizationId,
    id: context.nextId('package'),
    version: 1,
    taskId,
    name,
    description: input.description?.trim() ? input.description : name,
    quantity: input.quantity ?? 1,
    weight: input.weight ?? null,
    width: input.width ?? null,
    height: input.height ?? null,
    length: input.length ?? null,
    isFragile: input.isFragile ?? false,
    barcode: input.barcode ?? null,
    notes: input.notes ?? null,
    status: 'pending',
    createdAt: context.now,
    updatedAt: context.now,
  };
}

function movePackage(state: OrgState, id: number, taskId: number, now: string) {
  const { record: before } = state.findPackage(id)!;
  const after: PackageRecord = { ...before, version: before.version + 1, taskId, status: 'pending', updatedAt: now };
  return { kind: 'package-moved', before, after } as const;
}

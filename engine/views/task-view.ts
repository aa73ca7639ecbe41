import type { CustomerOfTask, TaskCustomerView, UserView } from '../../schema/customers/customer.ts';
import type { LocationRecord, LocationView } from '../../schema/customers/location.ts';
import type { AgentOfTask, TaskAgentView } from '../../schema/fleet/agent.ts';
import { type PackageRecord, type PackageView, packageView } from '../../schema/tasks/package.ts';
import type { RatingView } from '../../schema/tasks/rating.ts';
import type { ShownTask, TaskRecord } from '../../schema/tasks/task.ts';
import { type TaskView, taskView } from '../../schema/tasks/task-view.ts';
import { searchViewOf } from '../domain/assignment/search-wait.ts';
import { formatMinor } from '../domain/money/money.ts';
import { dueAtOf, isDelayed } from '../domain/tasks/delay.ts';
import { compilePieces, compileSerializer, inOnePiece } from './parts/serializer.ts';
import { shownCoordinate } from './parts/shown-coordinate.ts';
import { trackingUrlOf } from './parts/tracking-url.ts';

const NO_CHILDREN: TaskView['children'] = [];
const NO_PROOFS: TaskView['proofs'] = [];
const serializeTask = compilePieces(taskView);
const serializePackage = compileSerializer(packageView);

/** Returns the JSON of a task: the same bytes in responses, lists, events and streams. */
export function encodeTask(shown: ShownTask): string {
  return inOnePiece(serializeTask(taskViewOf(shown)));
}

/** Returns one text with the task's JSON inside it. `json` is a slice of `whole`, so the task is stored only once. */
export function encodeTaskWithin(before: string, shown: ShownTask, after: string) {
  const json = serializeTask(taskViewOf(shown));
  const whole = inOnePiece(before + json + after);
  return { whole, json: whole.slice(before.length, before.length + json.length) };
}

/** Returns the JSON of a package, alone or inside its task. */
export function encodePackage(record: PackageRecord): string {
  // The serializer leaves out fields that are not in the schema.
  return serializePackage(record as PackageView);
}

/** The only place that maps a task's record to its public view. */
function taskViewOf(shown: ShownTask): TaskView {
  const { task, customer, agent, location, pickupLocation, packages, children } = shown;
  return {
    id: task.id,
    name: task.name,
    code: task.code,
    taskType: task.taskType,
    status: task.status,
    timeToServe: task.timeToServe,
    scheduledAt: task.scheduledAt,
    assignedAt: task.assignedAt,
    acceptedAt: task.acceptedAt,
    startedAt: task.startedAt,
    completedAt: task.completedAt,
    cancelledAt: task.cancelledAt,
    description: task.description,
    notes: task.notes,
    customerId: task.customerId,
    customer: customer && taskCustomerViewOf(customer),
    agentId: task.agentId,
    agent: agent && taskAgentViewOf(agent),
    courierType: task.courierType,
    courierId: task.courierId,
    courier: task.courier,
    paymentId: task.paymentId,
    locationId: task.locationId,
    location: location && locationViewOf(location),
    pickupLocation: pickupLocation && locationViewOf(pickupLocation),
    channelId: task.channelId,
    organizationId: task.organizationId,
    parentId: task.parentId,
    children: children.length === 0 ? NO_CHILDREN : children.map(taskViewOf),
    integrationData: task.integrationData,
    // The serializer leaves out fields that are not in the schema.
    packages: packages as readonly PackageView[] as PackageView[],
    readyAt: task.readyAt,
    windowStart: task.windowStart,
    windowEnd: task.windowEnd,
    estimatedDuration: task.estimatedDuration,
    requiredSkills: (task.requiredSkills ?? []) as string[],
    preferredAgentId: task.preferredAgentId,
    amount: task.amountMinor === null ? null : formatMinor(task.amountMinor, task.currency!),
    currency: task.currency,
    outcome: task.outcome,
    failureReason: task.failureReason,
    trackingUrl: trackingUrlOf(task),
    rating: ratingViewOf(task),
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
    dueAt: dueAtOf(task),
    isDelayed: isDelayed(task),
    delayedAt: task.delayedAt,
    etaAt: task.etaAt,
    arrivedAt: task.arrivedAt,
    pickupEtaAt: task.pickupEtaAt,
    pickupArrivedAt: task.pickupArrivedAt,
    pickedUpAt: task.pickedUpAt,
    requirements: task.requirements,
    proofs: (task.proofs ?? NO_PROOFS) as TaskView['proofs'],
    autoAssignmentStatus: task.autoAssignmentStatus,
    autoAssignmentFailureReason: task.autoAssignmentFailureReason,
    search: task.search && searchViewOf(task.search),
    attempt: task.attempt,
    previousTaskId: task.previousTaskId,
    nextTaskId: task.nextTaskId,
    contact: task.contact,
  };
}

/** The rating of a customer; null before there is one. */
export function ratingViewOf({ rating }: Pick<TaskRecord, 'rating'>): RatingView | null {
  return rating && { score: rating.score, comment: rating.comment, ratedAt: rating.at };
}

export function taskCustomerViewOf(customer: CustomerOfTask): TaskCustomerView {
  return {
    id: customer.id,
    userId: customer.userId,
    customerType: customer.customerType,
    user: userViewOf(customer),
  };
}

export function taskAgentViewOf(agent: AgentOfTask): TaskAgentView {
  return { id: agent.id, userId: agent.userId, agentType: agent.agentType, user: userViewOf(agent) };
}

function userViewOf(person: CustomerOfTask | AgentOfTask): UserView {
  return {
    id: person.userId,
    firstName: person.firstName,
    lastName: person.lastName,
    email: person.email,
    phoneNumber: person.phoneNumber,
    countryCode: person.countryCode,
  };
}

export function locationViewOf(location: LocationRecord): LocationView {
  return {
    id: location.id,
    address: location.address,
    latitude: shownCoordinate(location.latitude),
    longitude: shownCoordinate(location.longitude),
    building: location.building,
    floor: location.floor,
    apartment: location.apartment,
  };
}

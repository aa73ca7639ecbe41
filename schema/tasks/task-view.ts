import * as v from 'valibot';
import { searchView } from '../assignment/assignment.ts';
import { courierView } from '../assignment/courier.ts';
import { taskCustomerView } from '../customers/customer.ts';
import { locationView } from '../customers/location.ts';
import { named } from '../fields/named.ts';
import { requirementsView } from '../fields/requirements.ts';
import { nullableId, nullableTime, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { taskAgentView } from '../fleet/agent.ts';
import { packageView } from './package.ts';
import { PROOF_KINDS } from './proof.ts';
import { ratingView } from './rating.ts';
import {
  ALL_TASK_TYPES,
  AUTO_ASSIGNMENT_STATUSES,
  COURIER_TYPES,
  TASK_OUTCOMES,
  TASK_STATUSES,
  TIMES_TO_SERVE,
} from './task.ts';

const nullableText = v.nullable(v.string());

/** The fields of a task and of a child of a job; a child has no children of its own. */
const taskFields = {
  id: shownId,
  name: v.string(),
  code: v.string(),
  taskType: v.picklist(ALL_TASK_TYPES),
  status: v.picklist(TASK_STATUSES),
  timeToServe: v.picklist(TIMES_TO_SERVE),
  scheduledAt: nullableTime,
  assignedAt: nullableTime,
  acceptedAt: nullableTime,
  startedAt: nullableTime,
  completedAt: nullableTime,
  cancelledAt: nullableTime,
  description: nullableText,
  notes: nullableText,
  customerId: nullableId,
  customer: v.nullable(taskCustomerView),
  agentId: nullableId,
  agent: v.nullable(taskAgentView),
  courierType: v.picklist(COURIER_TYPES),
  courierId: nullableId,
  courier: v.nullable(courierView),
  paymentId: nullableId,
  locationId: nullableId,
  location: v.nullable(locationView),
  pickupLocation: v.nullable(locationView),
  channelId: shownId,
  organizationId: shownId,
  parentId: nullableId,
  integrationData: v.nullable(v.record(v.string(), v.unknown())),
  packages: v.array(packageView),
  readyAt: nullableTime,
  windowStart: nullableTime,
  windowEnd: nullableTime,
  estimatedDuration: v.nullable(shownInteger),
  requiredSkills: v.array(v.string()),
  preferredAgentId: nullableId,
  amount: nullableText,
  currency: nullableText,
  outcome: v.nullable(v.picklist(TASK_OUTCOMES)),
  failureReason: nullableText,
  trackingUrl: v.string(),
  rating: v.nullable(ratingView),
  createdAt: shownTime,
  updatedAt: shownTime,
  dueAt: shownTime,
  isDelayed: v.boolean(),
  delayedAt: nullableTime,
  etaAt: nullableTime,
  arrivedAt: nullableTime,
  pickupEtaAt: nullableTime,
  pickupArrivedAt: nullableTime,
  pickedUpAt: nullableTime,
  requirements: v.nullable(requirementsView),
  proofs: v.array(v.picklist(PROOF_KINDS)),
  autoAssignmentStatus: v.picklist(AUTO_ASSIGNMENT_STATUSES),
  autoAssignmentFailureReason: nullableText,
  search: v.nullable(searchView),
  attempt: shownInteger,
  previousTaskId: nullableId,
  nextTaskId: nullableId,
  contact: v.nullable(named('TaskContact', v.object({ name: v.string(), phone: v.string() }))),
};

/** The task as the API shows it. Source: docs/contract.md §3 "Task". */
export const taskView = named(
  'Task',
  v.object({ ...taskFields, children: v.array(named('ChildTask', v.object(taskFields))) }),
);
export type TaskView = v.InferOutput<typeof taskView>;

export const taskListView = named('TaskList', v.object({ items: v.array(taskView), count: shownInteger }));

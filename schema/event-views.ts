import * as v from 'valibot';
import { assignmentRequestView } from './assignment/assignment.ts';
import { EVENT_TYPES, type EventType } from './events.ts';
import { extending, named } from './fields/named.ts';
import { REQUIREMENTS } from './fields/requirements.ts';
import { actorView, nullableId, nullableTime, shownId, shownInteger, shownTime } from './fields/shown-fields.ts';
import { agentView } from './fleet/agent.ts';
import { positionView } from './fleet/position.ts';
import { shiftView } from './fleet/shift.ts';
import { paymentView } from './money/payment.ts';
import { TEST_EVENT, webhookView } from './notices/webhook.ts';
import { PACKAGE_STATUSES } from './tasks/package.ts';
import { ratingView } from './tasks/rating.ts';
import { STOP_PLACES, TASK_OUTCOMES, TASK_STATUSES } from './tasks/task.ts';
import { taskView } from './tasks/task-view.ts';

/** The bodies of events, by type: the same on webhooks, on streams and in GET /events. Source: docs/contract.md §6. */

const reason = v.nullable(v.string());
const request = named(
  'AssignmentRequestEventData',
  v.object({ assignmentRequest: assignmentRequestView, actor: actorView }),
);
const payment = named('PaymentEventData', v.object({ payment: paymentView, task: taskView, actor: actorView }));
const plainTask = named('TaskEventData', v.object({ task: taskView }));

const updated = v.object({
  task: taskView,
  changed: v.array(v.string()),
  changes: v.optional(v.array(v.string())),
  reason: v.optional(reason),
  previousAgentId: v.optional(nullableId),
  actor: actorView,
});

const statusChanged = v.object({
  task: taskView,
  previousStatus: v.picklist(TASK_STATUSES),
  status: v.picklist(TASK_STATUSES),
  reason,
  outcome: v.optional(v.nullable(v.picklist(TASK_OUTCOMES))),
  failureReason: v.optional(reason),
  note: v.optional(v.string()),
  overrideReason: v.optional(v.string()),
  missing: v.optional(v.array(v.picklist(REQUIREMENTS))),
  previousAgentId: v.optional(nullableId),
  actor: actorView,
});

const arrived = v.object({
  task: taskView,
  place: v.picklist(STOP_PLACES),
  agentId: shownId,
  position: named('Place', v.object({ latitude: v.number(), longitude: v.number() })),
  at: shownTime,
  actor: actorView,
});

const pickedUp = v.object({ task: taskView, agentId: nullableId, at: shownTime, actor: actorView });

const packageStatusChanged = v.object({
  task: taskView,
  packageId: shownId,
  previousStatus: v.picklist(PACKAGE_STATUSES),
  status: v.picklist(PACKAGE_STATUSES),
  reason,
  actor: actorView,
});

const packageScanned = v.object({
  task: taskView,
  packageId: shownId,
  barcode: v.string(),
  scannedAt: shownTime,
  actor: actorView,
});

const etaUpdated = v.object({
  task: taskView,
  etaAt: nullableTime,
  previousEtaAt: nullableTime,
  pickupEtaAt: nullableTime,
  previousPickupEtaAt: nullableTime,
  actor: actorView,
});

const shiftsChanged = v.object({
  agent: agentView,
  from: shownTime,
  to: shownTime,
  shifts: v.array(shiftView),
  actor: actorView,
});
const shiftStarted = v.object({ agent: agentView, shift: shiftView, actor: actorView });
const shiftEnded = v.object({ agent: agentView, shift: shiftView, openTaskIds: v.array(shownId), actor: actorView });

const atRisk = v.object({ task: taskView, etaAt: shownTime, dueAt: shownTime, actor: actorView });

const DATA: Readonly<Record<EventType, v.GenericSchema>> = {
  'task.created': plainTask,
  'task.updated': named('TaskUpdatedEventData', updated),
  'task.status_changed': named('TaskStatusChangedEventData', statusChanged),
  'task.delayed': plainTask,
  'task.arrived': named('TaskArrivedEventData', arrived),
  'task.picked_up': named('TaskPickedUpEventData', pickedUp),
  'task.eta_updated': named('TaskEtaUpdatedEventData', etaUpdated),
  'task.at_risk': named('TaskAtRiskEventData', atRisk),
  'task.rated': named('TaskRatedEventData', v.object({ task: taskView, rating: ratingView, actor: actorView })),
  'package.status_changed': named('PackageStatusChangedEventData', packageStatusChanged),
  'package.scanned': named('PackageScannedEventData', packageScanned),
  'assignment_request.created': request,
  'assignment_request.accepted': request,
  'assignment_request.rejected': request,
  'assignment_request.expired': request,
  'assignment_request.cancelled': request,
  'agent.duty_changed': named(
    'AgentDutyChangedEventData',
    v.object({ agent: agentView, onDuty: v.boolean(), actor: actorView }),
  ),
  'agent.shifts_changed': named('AgentShiftsChangedEventData', shiftsChanged),
  'agent.shift_started': named('AgentShiftStartedEventData', shiftStarted),
  'agent.shift_ended': named('AgentShiftEndedEventData', shiftEnded),
  'payment.succeeded': payment,
  'payment.failed': payment,
  'payment.refunded': payment,
};

/** `task.status_changed` → `TaskStatusChangedEvent` */
function modelOf(type: string): string {
  const words = type.split(/[._]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

const head = { timestamp: shownTime, apiVersion: v.literal('v1'), organizationId: shownId };

function bodyOf(type: string, own: v.ObjectEntries, data: v.GenericSchema) {
  return named(modelOf(type), v.object({ type: v.literal(type), ...head, ...own, data }));
}

/** The fields that every event of the log has. */
const loggedHead = named('EventHead', v.object({ ...head, id: v.string(), channelId: shownId, sequence: shownId }));

/** The body of each type of the log. */
const loggedEvents = EVENT_TYPES.map(
  (type) => [type, extending(bodyOf(type, loggedHead.entries, DATA[type]), loggedHead)] as const,
);

const moved = named('MovedAgents', v.object({ items: v.array(positionView), count: shownInteger }));
/** Without a place in the log: it is of the moment. A stream sends it without an id. */
const locationsUpdated = bodyOf('agent.locations_updated', { id: v.optional(v.string()) }, moved);

const tested = named('WebhookTestEventData', v.object({ webhook: webhookView }));
const testEvent = bodyOf(TEST_EVENT, { id: v.string(), channelId: shownId, sequence: nullableId }, tested);

/** The events that a stream shows, by type. */
export const STREAM_EVENTS: ReadonlyMap<string, v.GenericSchema> = new Map<string, v.GenericSchema>([
  ...loggedEvents,
  ['agent.locations_updated', locationsUpdated],
]);

/** Everything that a webhook may receive, by type. */
export const WEBHOOK_EVENTS: ReadonlyMap<string, v.GenericSchema> = new Map<string, v.GenericSchema>([
  ...STREAM_EVENTS,
  [TEST_EVENT, testEvent],
]);

/** One entry of the log. */
const eventView = named('Event', v.union(loggedEvents.map(([, body]) => body)));

/** The answer of GET /events. */
export const eventPageView = named(
  'EventPage',
  v.object({ items: v.array(eventView), count: shownInteger, nextAfter: shownInteger }),
);

import * as v from 'valibot';
import { queryIds, queryInteger, queryList } from './fields/fields.ts';
import { named } from './fields/named.ts';
import { shownInteger } from './fields/shown-fields.ts';
import { queryBox } from './fleet/position.ts';
import { LIMITS } from './limits.ts';

/** The types of events that this release writes to the log. */
export const EVENT_TYPES = named('EventType', [
  'task.created',
  'task.updated',
  'task.status_changed',
  'task.delayed',
  'task.arrived',
  'task.picked_up',
  'task.eta_updated',
  'task.at_risk',
  'task.rated',
  'package.status_changed',
  'package.scanned',
  'assignment_request.created',
  'assignment_request.accepted',
  'assignment_request.rejected',
  'assignment_request.expired',
  'assignment_request.cancelled',
  'agent.duty_changed',
  'agent.shifts_changed',
  'agent.shift_started',
  'agent.shift_ended',
  'payment.succeeded',
  'payment.failed',
  'payment.refunded',
] as const);
export type EventType = (typeof EVENT_TYPES)[number];

/** Stream messages that are not in the log: of the moment, without an id, and without resuming. */
const STREAM_TYPES = named('StreamEventType', [...EVENT_TYPES, 'agent.locations_updated'] as const);

/**
 * One entry of an organization's log. `body` is the JSON that webhooks, streams and GET /events show,
 * encoded once when the change was decided.
 */
export interface LoggedEvent {
  readonly organizationId: number;
  /** Counts up without gaps in the organization. */
  readonly sequence: number;
  readonly type: EventType;
  readonly at: string;
  readonly body: string;
}

const TASK_BEGINS = '"data":{"task":';

/** The JSON of the task in the body of a task.created event, byte for byte: its data hold nothing else. */
export function taskOfCreatedEvent(body: string): string {
  return body.slice(body.indexOf(TASK_BEGINS) + TASK_BEGINS.length, -'}}'.length);
}

export const listEventsQuery = v.object({
  after: v.optional(queryInteger(0, Number.MAX_SAFE_INTEGER), '0'),
  types: v.optional(queryList(EVENT_TYPES)),
  limit: v.optional(queryInteger(1, LIMITS.eventsPageSize), String(LIMITS.defaultEventsPageSize)),
});
export type ListEventsQuery = v.InferOutput<typeof listEventsQuery>;

export const streamEventsQuery = v.object({
  lastEventId: v.optional(v.string()),
  types: v.optional(queryList(STREAM_TYPES)),
  taskIds: v.optional(queryIds),
  agentIds: v.optional(queryIds),
  bbox: v.optional(queryBox),
});
export type StreamEventsQuery = v.InferOutput<typeof streamEventsQuery>;

export const streamTokenView = named('StreamToken', v.object({ token: v.string(), expiresIn: shownInteger }));

/**
 * A place in the log of one organization: `<history>-<sequence>`. `history` names the log's incarnation, so that
 * nobody resumes from a log that a restored backup has replaced.
 */
export interface LogPosition {
  readonly history: string;
  readonly sequence: number;
}

export function formatPosition(history: string, sequence: number): string {
  return `${history}-${sequence}`;
}

/** A position as a client sends it back, or undefined when it is none. */
export function parsePosition(text: string): LogPosition | undefined {
  const match = /^([a-z0-9]{1,32})-(\d{1,16})$/.exec(text);
  return match ? { history: match[1]!, sequence: Number(match[2]) } : undefined;
}

/** The id of an event that is written now, into its body; from then on `idOfBody` says it. */
export function eventId(history: string, organizationId: number, sequence: number): string {
  return `evt_${history}_${organizationId.toString(36)}_${sequence.toString(36)}`;
}

/** The id of an event of the log, which keeps it over all deliveries, also where the log got another history since. */
export function idOfBody(body: string): string {
  return /^\{"id":"([^"]+)"/.exec(body)![1]!;
}

/** The id of an event outside the log; `place` separates those of one organization. */
export function unloggedEventId(history: string, organizationId: number, place: string): string {
  return `evt_${history}_${organizationId.toString(36)}_at_${place}`;
}

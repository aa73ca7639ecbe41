import * as v from 'valibot';
import { integerBetween, queryId, queryIds, queryList, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { listQuery, pageView } from '../fields/page-query.ts';
import { nullableTime, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { externalFleetInput, type FleetVehicle } from './courier.ts';

export const REQUEST_STATUSES = named('AssignmentRequestStatus', [
  'pending',
  'accepted',
  'rejected',
  'expired',
  'cancelled',
] as const);
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

export const ASSIGNMENT_MODES = named('AssignmentMode', ['sequential', 'broadcast'] as const);
export type AssignmentMode = (typeof ASSIGNMENT_MODES)[number];

export const FAILURE_REASONS = named('SearchFailureReason', [
  'no_available_agents',
  'no_eligible_agents',
  'capacity_exceeded',
  'all_rejected',
  'all_expired',
  'deadline_passed',
  'max_attempts_reached',
] as const);
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** A row of `assignment_requests`: an agent is asked to take a task. It changes once, from pending to its outcome. */
export interface AssignmentRequestRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly taskId: number;
  readonly agentId: number;
  /** The task's channel. */
  readonly channelId: number;
  readonly status: RequestStatus;
  readonly mode: AssignmentMode;
  /** Which attempt of its search it belongs to, from 1. */
  readonly attempt: number;
  /** The cost that the plan put on it; less is better. */
  readonly score: number;
  /** Straight from the agent to where it begins. */
  readonly distanceM: number | null;
  /** Until the task is done, as planned. */
  readonly etaSeconds: number | null;
  readonly expiresAt: string;
  /** When it was answered, ran out or was withdrawn. */
  readonly respondedAt: string | null;
  readonly rejectionReason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** How many agents a round passed over for which reason, and the nearest of them one by one. */
export interface PassedOverAgents {
  readonly counts: Readonly<Record<string, number>>;
  /** Null metres: nobody knows where the agent is, or where it was when it was asked. */
  readonly nearest: readonly { readonly agentId: number; readonly reason: string; readonly distanceM: number | null }[];
}

/** The result of a round that asked nobody, as the history notes it. */
export type SearchNote = FailureReason | 'busy_agent' | 'ready_time';

/**
 * The search that a task is in: there from the request for one until somebody has accepted, it failed or was called off.
 *
 *   pending    it begins at `startsAt`, or with the next round
 *   searching  rounds look for somebody, until `until`
 *   offered    `open` are asked, each until its own end
 */
export interface TaskSearch {
  /** Since when it counts as waiting, or will; not there in searches of releases that did not keep it. */
  readonly since?: string;
  /** When it begins; null once it has begun. */
  readonly startsAt: string | null;
  readonly until: string;
  /** How often somebody was asked. */
  readonly attempts: number;
  /** Requests that wait for an answer. */
  readonly open: readonly AssignmentRequestRecord[];
  readonly rejectedBy: readonly number[];
  readonly expiredBy: readonly number[];
  /** Why the last round that looked found nobody. */
  readonly lacking: FailureReason | null;
  /** The candidates of that round and why each was passed over; null before a round told any, and once it asked somebody. */
  readonly passedOver?: PassedOverAgents | null;
  /**
   * The last note of the history; null before that, and once somebody was asked. Not there in searches of releases that kept
   * no other.
   */
  readonly noted?: SearchNote | null;
  /** When it did: rounds are many, and say the same. */
  readonly notedAt: string | null;
}

const SEARCH_WAITS = named('SearchWait', [
  'start',
  'round',
  'answer',
  'busy_agent',
  'ready_time',
  'eligible_agent',
] as const);

/** The search of a task, as the task shows it. Source: docs/contract.md §5 "Status of a search". */
export const searchView = named(
  'Search',
  v.object({
    waitsFor: v.picklist(SEARCH_WAITS),
    /** Why no agent is eligible, where it waits for one. */
    reason: v.nullable(v.picklist(FAILURE_REASONS)),
    since: nullableTime,
    until: shownTime,
  }),
);
export type SearchView = v.InferOutput<typeof searchView>;

const seconds = (min: number, max: number) =>
  v.nullish(integerBetween(min, max, `must be an integer from ${min} to ${max}`));

/** The setting `assignment` of an organization. Null or absent: the default. */
export const assignmentSettingsInput = named(
  'AssignmentSettings',
  v.object(
    {
      mode: v.nullish(v.picklist(ASSIGNMENT_MODES, `must be one of ${ASSIGNMENT_MODES.join(', ')}`)),
      batchingWindowMs: seconds(0, 60_000),
      maxDistanceM: seconds(1, 1_000_000),
      maxTasksPerAgent: seconds(1, 1_000),
      requestTtlSeconds: seconds(5, 3_600),
      maxAttempts: seconds(1, 100),
      autoAccept: v.nullish(v.boolean('must be a boolean')),
      searchTimeoutSeconds: seconds(10, 86_400),
      externalCouriers: v.nullish(v.boolean('must be a boolean')),
      externalFleet: v.nullish(externalFleetInput),
      pickupServiceSeconds: seconds(0, 14_400),
      dropoffServiceSeconds: seconds(0, 14_400),
    },
    'must be an object',
  ),
);

export interface AssignmentSettings {
  readonly mode: AssignmentMode;
  /** Tasks that come within it are planned together. */
  readonly batchingWindowMs: number;
  /** Null: any distance. */
  readonly maxDistanceM: number | null;
  readonly maxTasksPerAgent: number;
  readonly requestTtlSeconds: number;
  /** How often a search asks. */
  readonly maxAttempts: number;
  /** Nobody is asked: who is chosen has it. */
  readonly autoAccept: boolean;
  /** How long a search of a task without an end of its own (`windowEnd`) lasts. */
  readonly searchTimeoutSeconds: number;
  /** Whether external couriers are asked when no agent is eligible. */
  readonly externalCouriers: boolean;
  /** The vehicles of the courier company that is built in. */
  readonly externalFleet: readonly FleetVehicle[];
  /** How long it takes to get the goods: parking, finding the counter. */
  readonly pickupServiceSeconds: number;
  /** How long a task takes at its place, where it does not say: parking, stairs, a signature. */
  readonly dropoffServiceSeconds: number;
  /** How long before its time the search for a scheduled task begins. */
  readonly leadMinutes: number;
}

const DEFAULTS: AssignmentSettings = {
  mode: 'sequential',
  batchingWindowMs: 500,
  maxDistanceM: null,
  maxTasksPerAgent: 5,
  requestTtlSeconds: 30,
  maxAttempts: 10,
  autoAccept: false,
  searchTimeoutSeconds: 900,
  externalCouriers: false,
  externalFleet: [],
  pickupServiceSeconds: 180,
  dropoffServiceSeconds: 180,
  leadMinutes: 30,
};

/** Settings as an organization has them; what it does not say, or no longer says right, is the default. */
export function assignmentSettingsOf(settings: Readonly<Record<string, unknown>>): AssignmentSettings {
  const known = parsedSettings.get(settings);
  if (known) return known;
  const parsed = parseAssignment(settings);
  parsedSettings.set(settings, parsed);
  return parsed;
}

/** By the settings of an organization, which a change replaces: every commit asks for them. */
const parsedSettings = new WeakMap<Readonly<Record<string, unknown>>, AssignmentSettings>();

function parseAssignment(settings: Readonly<Record<string, unknown>>): AssignmentSettings {
  const parsed = v.safeParse(assignmentSettingsInput, settings['assignment'] ?? {});
  const own = parsed.success ? Object.entries(parsed.output).filter(([, value]) => value != null) : [];
  const { leadMinutes } = settings;
  return {
    ...DEFAULTS,
    ...Object.fromEntries(own),
    ...(typeof leadMinutes === 'number' && leadMinutes >= 0 ? { leadMinutes } : {}),
  };
}

/** The body of POST /assignment-requests/:id/reject, which may be left out. */
export const rejectRequestInput = named(
  'RejectAssignmentRequestInput',
  v.object({ reason: v.nullish(shortText) }, 'the body must be an object'),
);

export const listRequestsQuery = listQuery('assignment requests', {
  status: v.optional(queryList(REQUEST_STATUSES)),
  taskId: v.optional(queryId),
  agentId: v.optional(queryIds),
});
export type ListRequestsQuery = v.InferOutput<typeof listRequestsQuery>;

const nullableNumber = v.nullable(v.number());
const nullableText = v.nullable(v.string());

/** Source: docs/contract.md §5. */
export const assignmentRequestView = named(
  'AssignmentRequest',
  v.object({
    id: shownId,
    taskId: shownId,
    agentId: shownId,
    status: v.picklist(REQUEST_STATUSES),
    mode: v.picklist(ASSIGNMENT_MODES),
    attempt: shownInteger,
    score: v.number(),
    distanceM: nullableNumber,
    etaSeconds: nullableNumber,
    expiresAt: shownTime,
    respondedAt: nullableTime,
    rejectionReason: nullableText,
    createdAt: shownTime,
  }),
);
export type AssignmentRequestView = v.InferOutput<typeof assignmentRequestView>;

export const assignmentRequestListView = pageView('AssignmentRequestList', assignmentRequestView);

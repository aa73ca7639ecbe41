import * as v from 'valibot';
import type { Letterhead } from '../accounts/letterhead.ts';
import { queryId } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { nullableTime, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { ratingView } from './rating.ts';
import { TASK_OUTCOMES, TASK_STATUSES } from './task.ts';

/** The last part of `trackingUrl`. It opens the task, so a malformed one is answered like an unknown one. */
const trackingToken = v.optional(v.string());
export const trackingQuery = v.object({ token: trackingToken });
export const trackingListQuery = v.object({ token: trackingToken, taskId: v.optional(queryId) });

/** A parsed link: the task that it is about, and the secret that opens it. */
export interface TrackingToken {
  readonly organizationId: number;
  readonly taskId: number;
  readonly secret: string;
}

/** A task as the owner of its link sees it, with no data of other people. */
export const trackedTaskView = named(
  'TrackedTask',
  v.object({
    id: shownId,
    code: v.string(),
    name: v.string(),
    status: v.picklist(TASK_STATUSES),
    outcome: v.nullable(v.picklist(TASK_OUTCOMES)),
    /** The steps it has made, in lifecycle order. */
    timeline: v.array(named('TrackedStep', v.object({ status: v.picklist(TASK_STATUSES), at: shownTime }))),
    etaAt: nullableTime,
    /** The stops of others that the courier has before this one. */
    stopsBefore: v.nullable(shownInteger),
    /** When the courier came to the destination. */
    arrivedAt: nullableTime,
    window: v.nullable(named('TrackedWindow', v.object({ start: nullableTime, end: nullableTime }))),
    destination: v.nullable(
      named('TrackedDestination', v.object({ address: v.string(), latitude: v.number(), longitude: v.number() })),
    ),
    /** The PIN for the courier at the door; null once the task has ended, and for a job. */
    pin: v.nullable(v.string()),
    packageCount: shownInteger,
    agent: v.nullable(named('TrackedAgent', v.object({ firstName: v.string() }))),
    rating: v.nullable(ratingView),
  }),
);
export type TrackedTask = v.InferOutput<typeof trackedTaskView>;

/** `items`: the task that the link is about, or the parts of a job. */
export const trackingView = named(
  'Tracking',
  v.object({
    organization: named(
      'TrackedOrganization',
      v.object({
        name: v.string(),
        timeZone: v.string(),
        contact: named(
          'OrganizationContact',
          v.object({ phone: v.nullable(v.string()), email: v.nullable(v.string()) }),
        ),
      }),
    ),
    items: v.array(trackedTaskView),
    count: shownInteger,
  }),
);

/** Degrees. Null unless the task is on its way and its agent has said where it is. */
const trackedPosition = named(
  'TrackedPosition',
  v.object({
    latitude: v.number(),
    longitude: v.number(),
    recordedAt: shownTime,
    isStale: v.boolean(),
  }),
);
export type TrackedPosition = v.InferOutput<typeof trackedPosition>;

export const trackedLocationView = named(
  'TrackedLocation',
  v.object({
    taskId: shownId,
    status: v.picklist(TASK_STATUSES),
    etaAt: nullableTime,
    location: v.nullable(trackedPosition),
  }),
);

/** The present task of a link, with facts for the answering code alone. */
export interface FollowedTask {
  readonly shown: TrackedTask;
  /** Whose position may be shown; null for nobody's. */
  readonly agentId: number | null;
  /** The agent that has accepted it and has not come yet; gateways of the release before do not send it. */
  readonly carrierId?: number | null;
  /** When it ended; null while it has not. */
  readonly endedAt: string | null;
}

/** The target of a link. It travels from the actor as JSON. */
export interface Followed {
  readonly organization: {
    readonly name: string;
    readonly isActive: boolean;
    /** Gateways of the release before do not tell it. */
    readonly letterhead?: Letterhead;
  };
  readonly token: string;
  /** A job ends with the last of its parts. */
  readonly task: FollowedTask;
  readonly children: readonly FollowedTask[];
}

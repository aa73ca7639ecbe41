import * as v from 'valibot';
import { id, isoTime } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { shownId, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';
import { FAILURE_REASONS } from './assignment.ts';

/** The body of POST /dispatch/preview. Without `taskIds` the tasks that look for somebody; `at`: when the round would be. */
export const previewInput = named(
  'PreviewDispatchInput',
  v.object(
    {
      taskIds: v.nullish(
        v.pipe(
          v.array(id, 'must be an array'),
          v.minLength(1, 'must not be empty'),
          v.maxLength(LIMITS.previewTasks, `must hold at most ${LIMITS.previewTasks} items`),
        ),
      ),
      at: v.nullish(isoTime),
    },
    'the body must be an object',
  ),
);
export type PreviewInput = v.InferOutput<typeof previewInput>;

/** Why a task goes to nobody: as a search that ends there would say, or somebody is meant for it, who is asked later. */
const UNPLANNED_REASONS = named('UnplannedReason', [...FAILURE_REASONS, 'held'] as const);

/** Metres, seconds from `at` on. */
export const previewView = named(
  'DispatchPreview',
  v.object({
    at: shownTime,
    offers: v.array(
      named(
        'PlannedOffer',
        v.object({
          agentId: shownId,
          /** In the order in which they are brought. */
          taskIds: v.array(shownId),
          score: v.number(),
          distanceM: v.number(),
          /** Until each of them is served. */
          etaSeconds: v.array(v.number()),
          /** Where the way leads, in order: waiting for what is not ready, or for a window; lateness after `dueAt`. */
          stops: v.array(
            named(
              'PlannedStop',
              v.object({
                kind: named('StopKind', v.picklist(['pickup', 'dropoff'])),
                taskIds: v.array(shownId),
                arrivesAt: shownTime,
                waitSeconds: v.number(),
                lateSeconds: v.number(),
              }),
            ),
          ),
        }),
      ),
    ),
    unplanned: v.array(
      named(
        'UnplannedTask',
        v.object({
          taskId: shownId,
          reason: v.picklist(UNPLANNED_REASONS),
          /** How many agents were passed over for which reason. */
          counts: v.record(v.string(), v.number()),
          /** Null metres: nobody knows where the agent is. */
          nearest: v.array(
            named(
              'PassedOverAgent',
              v.object({ agentId: shownId, reason: v.string(), distanceM: v.nullable(v.number()) }),
            ),
          ),
        }),
      ),
    ),
    /** Not all tasks that look for somebody, but the first LIMITS.previewTasks. */
    isPartial: v.boolean(),
  }),
);
export type PreviewView = v.InferOutput<typeof previewView>;

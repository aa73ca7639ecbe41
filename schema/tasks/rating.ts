import * as v from 'valibot';
import { integerBetween, isoTime, queryIds, requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { listQuery, pageView } from '../fields/page-query.ts';
import { nullableId, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

const score = integerBetween(1, 5, 'must be an integer from 1 to 5');

/** The body of POST /tracking/tasks/:id/rating. */
export const rateTaskInput = named(
  'RateTaskInput',
  v.object({ score, comment: v.nullish(requiredText(LIMITS.ratingCommentChars)) }, 'the body must be an object'),
);
export type RateTaskInput = v.InferOutput<typeof rateTaskInput>;

/** A customer's rating of a task. */
export const ratingView = named(
  'Rating',
  v.object({ score: shownInteger, comment: v.nullable(v.string()), ratedAt: shownTime }),
);
export type RatingView = v.InferOutput<typeof ratingView>;

/** The query of GET /ratings. `from` and `to` are moments of ratings, both within. */
export const listRatingsQuery = listQuery('ratings', {
  agentId: v.optional(queryIds),
  from: v.optional(isoTime),
  to: v.optional(isoTime),
});
export type ListRatingsQuery = v.InferOutput<typeof listRatingsQuery>;

/** A rating beside the task that it is about. The agent is the one who had the task at its end. */
export const listedRatingView = named(
  'ListedRating',
  v.object({
    taskId: shownId,
    agentId: nullableId,
    customerId: nullableId,
    ...ratingView.entries,
  }),
);
export type ListedRating = v.InferOutput<typeof listedRatingView>;

/** A page as GET /ratings shows it. */
export const ratingPageView = pageView('RatingPage', listedRatingView);
export type RatingPageView = v.InferOutput<typeof ratingPageView>;

import * as v from 'valibot';
import { integerBetween, requiredText } from '../fields/fields.ts';
import { shownInteger, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

const score = integerBetween(1, 5, 'must be an integer from 1 to 5');

/** The body of POST /tracking/tasks/:id/rating. */
export const rateTaskInput = v.object(
  { score, comment: v.nullish(requiredText(LIMITS.ratingCommentChars)) },
  'the body must be an object',
);
export type RateTaskInput = v.InferOutput<typeof rateTaskInput>;

/** A customer's rating of a task. */
export const ratingView = v.object({ score: shownInteger, comment: v.nullable(v.string()), ratedAt: shownTime });
export type RatingView = v.InferOutput<typeof ratingView>;

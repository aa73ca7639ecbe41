import { type RatingPageView, ratingPageView } from '../../schema/tasks/rating.ts';
import { compileSerializer } from './parts/serializer.ts';

const serialize = compileSerializer(ratingPageView);

/** Returns the JSON of a page of ratings. */
export function encodeRatingPage(page: RatingPageView): string {
  return serialize(page);
}

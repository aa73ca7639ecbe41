import { listedRatingView } from '../../schema/tasks/rating.ts';
import { compileSerializer } from './parts/serializer.ts';

/** Returns the JSON of a rating in a list. */
export const encodeListedRating = compileSerializer(listedRatingView);

import * as v from 'valibot';
import { integerBetween, isoTime, parseIsoTime, queryIds, queryInteger, requiredText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
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

/** The last rating of a page: the next page holds earlier ones. */
interface RatingCursor {
  readonly ratedAt: string;
  readonly taskId: number;
}

const cursor = v.pipe(
  v.string(),
  v.rawTransform<string, RatingCursor>(({ dataset, addIssue, NEVER }) => {
    const found = parseCursor(dataset.value);
    if (found) return found;
    addIssue({ message: 'must be the nextCursor of a list of ratings' });
    return NEVER;
  }),
);

/** The query of GET /ratings. `from` and `to` are moments of ratings, both within. */
export const listRatingsQuery = v.pipe(
  v.object({
    page: v.optional(queryInteger(1, Number.MAX_SAFE_INTEGER)),
    limit: v.optional(queryInteger(1, LIMITS.pageSize), String(LIMITS.defaultPageSize)),
    cursor: v.optional(cursor),
    agentId: v.optional(queryIds),
    from: v.optional(isoTime),
    to: v.optional(isoTime),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const input = dataset.value as Partial<Record<'cursor' | 'page', unknown>>;
    if (input.cursor === undefined || input.page === undefined) return;
    const path = [{ type: 'object', origin: 'value', input, key: 'cursor', value: input.cursor }] as const;
    addIssue({ message: 'must not be given together with page', path: [...path] });
  }),
);
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

/** A page as GET /ratings shows it; `nextCursor` is null at the end of the list. */
export const ratingPageView = named(
  'RatingPage',
  v.object({
    items: v.array(listedRatingView),
    count: shownInteger,
    nextCursor: v.nullable(v.string()),
  }),
);
export type RatingPageView = v.InferOutput<typeof ratingPageView>;

export function formatRatingCursor({ ratedAt, taskId }: RatingCursor): string {
  return Buffer.from(JSON.stringify([ratedAt, taskId])).toString('base64url');
}

function parseCursor(text: string): RatingCursor | undefined {
  try {
    const [ratedAt, taskId] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    const isMoment = typeof ratedAt === 'string' && parseIsoTime(ratedAt) === ratedAt;
    if (!isMoment || !Number.isSafeInteger(taskId) || (taskId as number) < 1) return undefined;
    return { ratedAt, taskId: taskId as number };
  } catch {
    return undefined;
  }
}

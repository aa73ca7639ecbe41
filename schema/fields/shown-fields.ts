import * as v from 'valibot';
import { named } from './named.ts';
import { shownAs } from './shown-as.ts';

/** The kinds of fields that answers are made of, where JSON has one word for several of them. */

export const shownId = shownAs(v.number(), { type: 'integer', format: 'int64' });
/** The number of things counted. */
export const shownInteger = shownAs(v.number(), { type: 'integer', minimum: 0 });
/** The `count` of lists that cannot tell how many there are in all. */
export const countOfPage = shownAs(v.number(), {
  type: 'integer',
  minimum: 0,
  description: 'Of this page, not of all: `nextCursor` is null at the end',
});
export const shownTime = shownAs(v.string(), { format: 'date-time' });
export const nullableId = v.nullable(shownId);
export const nullableTime = v.nullable(shownTime);

/** The caller behind a change: a user, a channel, or the system, which has no id. */
export const actorView = named('Actor', v.object({ type: v.string(), id: nullableId }));
/** The data of an answer that has none. */
export const nothingView = named('Nothing', v.object({}));

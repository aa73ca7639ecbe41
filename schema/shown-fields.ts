import * as v from 'valibot';
import { shownAs } from './shown-as.ts';

/** The kinds of fields that answers are made of, where JSON has one word for several of them. */

export const shownId = shownAs(v.number(), { type: 'integer', format: 'int64' });
/** Of what is counted. */
export const shownInteger = shownAs(v.number(), { type: 'integer', minimum: 0 });
export const shownTime = shownAs(v.string(), { format: 'date-time' });
export const nullableId = v.nullable(shownId);
export const nullableTime = v.nullable(shownTime);

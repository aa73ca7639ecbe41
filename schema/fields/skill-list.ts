import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { requiredText } from './fields.ts';

/** Skills of an agent, or of a task: the organization's own words, compared as they are. */
export const skillList = v.pipe(
  v.array(requiredText(LIMITS.shortTextChars), 'must be an array'),
  v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`),
);

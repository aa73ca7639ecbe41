import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { requiredText } from './fields.ts';

/** What somebody can do, or what a task asks for: words of the organization's own, compared as they are. */
export const skillList = v.pipe(
  v.array(requiredText(LIMITS.shortTextChars), 'must be an array'),
  v.maxLength(LIMITS.listItems, `must hold at most ${LIMITS.listItems} items`),
);

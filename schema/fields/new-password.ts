import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { atMostChars, isStorableText } from './fields.ts';

/** A password as someone chooses it; any character that can be sent may be in it. */
export const newPassword = v.pipe(
  v.string('must be a string'),
  v.minLength(LIMITS.passwordMinChars, `must be at least ${LIMITS.passwordMinChars} characters`),
  atMostChars(LIMITS.passwordMaxChars),
  v.check(isStorableText, 'must not contain NUL or unpaired surrogates'),
);

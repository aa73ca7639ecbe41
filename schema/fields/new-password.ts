import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { atMostChars, isStorableText } from './fields.ts';
import { shownAs } from './shown-as.ts';

const storable = v.check<string, string>(isStorableText, 'must not contain NUL or unpaired surrogates');

function atLeastChars(least: number, message: string) {
  // By code points, as atMostChars; a text that is longer than these units has enough.
  const holds = (text: string) => [...text.slice(0, 2 * least)].length >= least;
  return shownAs(v.check<string, string>(holds, message), { minLength: least });
}

/** A password as someone chooses it; any character that can be sent may be in it. */
export const newPassword = v.pipe(
  v.string('must be a string'),
  atLeastChars(LIMITS.passwordMinChars, `must be at least ${LIMITS.passwordMinChars} characters`),
  atMostChars(LIMITS.passwordMaxChars),
  storable,
);

/** A password that somebody signs in with: an older one may break the rules for new ones, and blanks alone may be one. */
export const givenPassword = v.pipe(
  v.string('must be a string'),
  atLeastChars(1, 'must not be empty'),
  atMostChars(LIMITS.passwordMaxChars),
  storable,
);

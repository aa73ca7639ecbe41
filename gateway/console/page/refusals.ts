import type { Failure } from '../live/protocol.ts';
import { text } from '../text/english.ts';
import { refusals } from '../text/english-refusals.ts';

/** Why the engine has refused, and what to do, in words. */
export function refusalText({ status, code, message, details }: Failure): string {
  if (status === 0) return text.noAnswer;
  const words = code === null ? undefined : refusals[code];
  return words === undefined ? message : words(details ?? {});
}

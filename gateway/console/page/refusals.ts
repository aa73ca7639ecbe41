import type { Failure } from '../live/protocol.ts';
import { text } from '../text/english.ts';
import { refusals } from '../text/english-refusals.ts';

/** The answer for one task of many: the body that a call about it alone would get. */
export interface ItemError {
  readonly statusCode: number;
  readonly code?: string;
  readonly message: string | string[];
  readonly details?: Record<string, unknown>;
}

/** Why the engine has refused, and what to do, in words. */
export function refusalText({ status, code, message, details }: Failure): string {
  if (status === 0) return text.noAnswer;
  const words = code === null ? undefined : refusals[code];
  return words === undefined ? message : words(details ?? {});
}

/** The body of a refusal inside an answer about many. */
export function failureOf({ statusCode, code, message, details }: ItemError): Failure {
  const said = Array.isArray(message) ? message.join('. ') : message;
  return { status: statusCode, code: code ?? null, message: said, details: details ?? null };
}

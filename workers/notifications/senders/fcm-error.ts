import * as v from 'valibot';

/** Why FCM did not take a message. */
export interface FcmError {
  /** FCM's own, `UNREGISTERED`; else Google's of all services, `PERMISSION_DENIED`; empty when there is none. */
  readonly code: string;
  readonly message: string;
  /** It is the device's token: no message will be taken for it, ever. */
  readonly isOfToken: boolean;
}

const detail = v.object({
  errorCode: v.optional(v.string()),
  fieldViolations: v.optional(v.array(v.object({ field: v.optional(v.string()) })), []),
});
const errorBody = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    error: v.object({
      message: v.optional(v.string(), ''),
      status: v.optional(v.string(), ''),
      details: v.optional(v.array(detail), []),
    }),
  }),
);

/** Reads the error of any answer's body. Source: the reference of FCM's REST API, `FcmError` and `ErrorCode`. */
export function readFcmError(text: string): FcmError {
  const parsed = v.safeParse(errorBody, text);
  if (!parsed.success) return { code: '', message: text, isOfToken: false };
  const { message, status, details } = parsed.output.error;
  const code = details.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? status;
  return { code, message, isOfToken: ENDS_A_TOKEN.has(code) || (code === 'INVALID_ARGUMENT' && isAboutToken()) };

  /** The code stands for anything wrong in a message; where it is the token, a field or the words say so. */
  function isAboutToken(): boolean {
    const fields = details.flatMap(({ fieldViolations }) => fieldViolations.map(({ field }) => field));
    return fields.length > 0 ? fields.every((field) => field === 'message.token') : NOT_A_TOKEN.test(message);
  }
}

/** No more registered, or with an app of another project. */
const ENDS_A_TOKEN: ReadonlySet<string> = new Set(['UNREGISTERED', 'SENDER_ID_MISMATCH']);
const NOT_A_TOKEN = /\bregistration token is not a valid\b/i;

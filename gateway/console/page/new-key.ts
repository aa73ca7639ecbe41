import { LIMITS } from '../../../schema/limits.ts';
import type { Answer, ApiCall } from '../live/protocol.ts';
import { sentLongAgo } from '../text/english-refusals.ts';

/** The key of an action that may be repeated safely. Not by `randomUUID`, which pages without HTTPS lack. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
}

/** The last body that was sent, and the key by which it may be sent again. */
export interface Attempt {
  readonly sent: string;
  readonly key: string;
  /** Whether it may have been carried out: it was sent, and no decision is known. */
  readonly isOpen: boolean;
  /** When it was first sent. */
  readonly sentAtMs: number;
}

/** The engine keeps a key for longer, and the console counts it as forgotten an hour before. */
const KEPT_MS = LIMITS.idempotencyRetentionMs - 3_600_000;

export const NO_ATTEMPT: Attempt = { sent: '', key: '', isOpen: false, sentAtMs: 0 };

/** The same body keeps its key, so that it is carried out once; another one gets a new key. */
export function attemptAfter(last: Attempt, body: unknown): Attempt {
  const sent = JSON.stringify(body);
  return sent === last.sent ? last : { sent, key: newKey(), isOpen: false, sentAtMs: Date.now() };
}

/**
 * The engine keeps a decision under its key: the same call after it is another one, and may be decided in another way.
 * Without a decision it is the same one.
 */
export function attemptAnswered(attempt: Attempt, answer: Answer): Attempt {
  return isDecided(answer, attempt.isOpen) ? NO_ATTEMPT : { ...attempt, isOpen: true };
}

/** Whether the engine may have forgotten a key that was first sent then. */
export function isForgotten(sentAtMs: number, nowMs: number): boolean {
  return nowMs - sentAtMs >= KEPT_MS;
}

/**
 * The refusal of a call that may have been carried out, and whose key the engine may have forgotten since: sent again, it
 * could be carried out twice. A person who has looked presses again, which is another call.
 */
export function longAgo(last: Attempt, body: unknown): Answer<never> | undefined {
  const isOld = last.isOpen && last.sent === JSON.stringify(body) && isForgotten(last.sentAtMs, Date.now());
  if (!isOld) return undefined;
  return { ok: false, failure: { status: 409, code: null, message: sentLongAgo, details: null } };
}

type Call = <T>(asked: ApiCall) => Promise<Answer<T>>;

/** Sends calls under keys of their own. A call that got no answer has the same key when it is sent again, so that it is carried out once. */
export function keyedCalls(call: Call): Call {
  let last = NO_ATTEMPT;
  return async <T>(asked: ApiCall) => {
    const refusal = longAgo(last, asked);
    if (refusal) {
      last = NO_ATTEMPT;
      return refusal;
    }
    const attempt = attemptAfter(last, asked);
    last = attempt;
    const answer = await call<T>({ ...asked, key: attempt.key });
    if (last.key === attempt.key) last = attemptAnswered(last, answer);
    return answer;
  };
}

/** Statuses that only a decision has. */
const DECISIONS: readonly number[] = [409, 412, 422];

/**
 * Whether the engine has decided a call. Any other may be sent again under the same key. A call that was sent before, here
 * or by the client itself, may have been carried out then: a refusal by what stands before the engine, such as the caller's
 * rights, does not decide about that. The engine's first answer under the key, when it comes again, does.
 */
export function isDecided(answer: Answer, isRepeat: boolean): boolean {
  if (answer.ok) return true;
  const { status, code, isReplayed, isOutcomeUnknown } = answer.failure;
  if (isReplayed) return true;
  if (isRepeat || isOutcomeUnknown) return DECISIONS.includes(status) || code === 'PACKAGE_LIMIT_EXCEEDED';
  return status !== 0 && status !== 401 && status !== 429 && status < 500;
}

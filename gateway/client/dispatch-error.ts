import type { RefusalCode } from './document-types.ts';

/** The codes of answers whose body has none, by their status. */
const PLAIN_CODES: Readonly<Record<number, string>> = {
  400: 'VALIDATION_FAILED',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  500: 'INTERNAL',
};

export interface ErrorFacts {
  readonly status: number;
  readonly code: RefusalCode | 'NO_ANSWER' | 'SESSION_ENDED';
  /** One entry for each violation of a validation error. */
  readonly violations?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly correlationId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly isOutcomeUnknown?: boolean;
  readonly isReplayed?: boolean;
  /** Whether the answer is not the service's. */
  readonly isForeign?: boolean;
  readonly cause?: unknown;
}

/** A call that did not succeed. Switch on `code`, never on `message`. */
export class DispatchError extends Error {
  override readonly name = 'DispatchError';
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  /**
   * A code of docs/errors.md, NO_ANSWER when no answer came, SESSION_ENDED when the user must sign in again, or
   * `HTTP_<status>` for an answer that is not the service's.
   */
  readonly code: ErrorFacts['code'];
  readonly violations: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
  /** Names the request in the log of the service. */
  readonly correlationId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** The key of a call that changes something. Repeat the call with it when the outcome is unknown. */
  readonly idempotencyKey: string | undefined;
  /** The change may have been written, or not. */
  readonly isOutcomeUnknown: boolean;
  /** The call had this refusal before, which came again. */
  readonly isReplayed: boolean;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.status = facts.status;
    this.code = facts.code;
    this.violations = facts.violations ?? [];
    this.details = facts.details ?? {};
    this.correlationId = facts.correlationId;
    this.retryAfterMs = facts.retryAfterMs;
    this.idempotencyKey = facts.idempotencyKey;
    this.isOutcomeUnknown = facts.isOutcomeUnknown ?? false;
    this.isReplayed = facts.isReplayed ?? false;
  }
}

/** The parts of a refusal's body that the client reads. */
interface RefusalBody {
  readonly statusCode?: unknown;
  readonly error?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly details?: unknown;
}

/** Reads a refusal. A body that is not the service's, of a proxy for example, gives the code `HTTP_<status>`. */
export function refusalFacts(
  status: number,
  headers: Headers,
  text: string,
): ErrorFacts & { readonly message: string } {
  const { statusCode, error, message, code, details } = parseRefusal(text);
  const violations = Array.isArray(message) ? message.map(String) : undefined;
  // Proxies answer in JSON, too, most with a message and some with a code of their own.
  const isOurs = statusCode === status && typeof error === 'string';
  const ownCode = typeof code === 'string' ? code : PLAIN_CODES[status];
  return {
    message: violations?.join('; ') ?? (typeof message === 'string' ? message : `answered with ${status}`),
    status,
    code: (isOurs && ownCode) || `HTTP_${status}`,
    ...(violations ? { violations } : {}),
    ...(typeof details === 'object' && details !== null ? { details: details as Record<string, unknown> } : {}),
    correlationId: headers.get('x-correlation-id') ?? undefined,
    retryAfterMs: retryAfterMs(headers),
    isReplayed: isReplayed(headers),
    isForeign: !isOurs,
  };
}

/** Whether an answer is the first one under its key, again. */
export function isReplayed(headers: Headers): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

function parseRefusal(text: string): RefusalBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    // The page of a proxy. Its status is all that is known.
    return {};
  }
}

/** `Retry-After` in milliseconds: its seconds, or the time until its date. */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (!text) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

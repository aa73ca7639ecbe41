import { STATUS_CODES } from 'node:http';
import { ERRORS, type Refusal, UNCODED } from '../../schema/errors.ts';

/** What every body says of the request that it answers. */
export interface RequestFacts {
  readonly correlationId: string;
  /** `/v1/…` with the raw query. */
  readonly canonicalPath: string;
  readonly method: string;
}

/** The envelope around `data`, which is JSON already. `durationMs` is shown to the hundredth. */
export function successBody(
  facts: RequestFacts,
  answer: {
    readonly status: number;
    readonly message: string;
    readonly data: string;
    readonly position?: string | undefined;
  },
  time: { readonly now: string; readonly durationMs: number },
): string {
  const position = answer.position === undefined ? '' : `,"position":"${answer.position}"`;
  return (
    `{"statusIndicator":"SUCCESS","statusCode":${answer.status},"message":"${answer.message}","data":${answer.data},` +
    `"metadata":{"timestamp":"${time.now}","correlationId":"${facts.correlationId}",` +
    `"path":${JSON.stringify(facts.canonicalPath)},"duration":${Math.round(time.durationMs * 100) / 100}${position}}}`
  );
}

/** The plain error body; domain errors add their code and details. */
export function errorBody(status: number, message: string, coded?: Pick<Refusal, 'code' | 'details'>): string {
  const code = coded && !UNCODED.has(coded.code) ? coded.code : undefined;
  return JSON.stringify({
    statusCode: status,
    message,
    error: STATUS_CODES[status] ?? 'Error',
    code,
    details: coded?.details,
  });
}

export function refusalBody(refusal: Refusal): { readonly status: number; readonly body: string } {
  const { status } = ERRORS[refusal.code];
  return { status, body: errorBody(status, refusal.message, refusal) };
}

/** 400 with one entry per violation. */
export function validationBody(facts: RequestFacts, violations: readonly string[]): string {
  const meta = { requestId: facts.correlationId, path: facts.canonicalPath, method: facts.method };
  return JSON.stringify({ statusCode: 400, message: violations, error: 'Bad Request', meta });
}

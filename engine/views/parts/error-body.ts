import { STATUS_CODES } from 'node:http';
import type { RequestFacts } from '../../../schema/commands.ts';
import { ERRORS, type Refusal, UNCODED } from '../../../schema/errors.ts';

/** Returns the JSON body of an error. Domain errors add their code and details. */
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

/** Returns the status and body of an engine refusal. VALIDATION_FAILED becomes a 400 with its list of violations. */
export function decidedBody(refusal: Refusal, facts: RequestFacts): { readonly status: number; readonly body: string } {
  if (refusal.code !== 'VALIDATION_FAILED') return refusalBody(refusal);
  const violations = refusal.details!['violations'] as readonly string[];
  return { status: 400, body: validationBody(facts, violations) };
}

/** Returns the body of a 400 response with one entry per violation. */
export function validationBody(facts: RequestFacts, violations: readonly string[]): string {
  const meta = { requestId: facts.correlationId, path: facts.canonicalPath, method: facts.method };
  return JSON.stringify({ statusCode: 400, message: violations, error: 'Bad Request', meta });
}

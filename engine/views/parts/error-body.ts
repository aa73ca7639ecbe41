import { STATUS_CODES } from 'node:http';
import type { RequestFacts } from '../../../schema/commands.ts';
import { ERRORS, type Refusal, UNCODED } from '../../../schema/errors.ts';

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

/** The body of whatever the engine refuses, its 400 with the violations that only it could find among them. */
export function decidedBody(refusal: Refusal, facts: RequestFacts): { readonly status: number; readonly body: string } {
  if (refusal.code !== 'VALIDATION_FAILED') return refusalBody(refusal);
  const violations = refusal.details!['violations'] as readonly string[];
  return { status: 400, body: validationBody(facts, violations) };
}

/** 400 with one entry per violation. */
export function validationBody(facts: RequestFacts, violations: readonly string[]): string {
  const meta = { requestId: facts.correlationId, path: facts.canonicalPath, method: facts.method };
  return JSON.stringify({ statusCode: 400, message: violations, error: 'Bad Request', meta });
}

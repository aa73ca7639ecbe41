import { FORM_MEDIA, isBelowApi, type Route, takesForm } from '../route.ts';
import { needsOrganization, takesIdempotencyKey, takesOrganization } from './honoured-headers.ts';

export interface SharedRefusal {
  readonly status: string;
  readonly reason: string;
  /** Which of the two error bodies it has. */
  readonly body: 'Error' | 'ValidationError';
}

/** The refusals that a call may get regardless of its operation, by status. */
export const REFUSALS_OF_ANY_CALL: readonly (readonly [status: string, reason: string])[] = [
  [
    '400',
    'Validation failed, and the body lists every violation; or more than one credential, malformed JSON, a malformed Idempotency-Key, or a super admin without X-Organization-Id',
  ],
  ['401', 'No credential, or one that stands for nobody'],
  ['403', 'HTTPS_REQUIRED, ORGANIZATION_NOT_ACTIVE, EMAIL_NOT_VERIFIED, or not permitted'],
  ['404', 'X-Organization-Id names no organization'],
  ['413', 'The body exceeds its bound, `x-max-bytes`'],
  ['415', 'The Content-Type is not that of the request body'],
  ['429', 'RATE_LIMITED'],
  ['500', 'Unexpected failure of the server'],
  ['503', 'NOT_APPLIED, OUTCOME_UNKNOWN, OVERLOADED, NOT_OWNER or UNAVAILABLE'],
];

/** Returns the refusals that come before the handler, and those of any handler, in the order of refusal. */
export function sharedRefusals(route: Route): SharedRefusal[] {
  if (route.guard.kind === 'operational') return [];
  return [...refusalsOfGuards(route), ...refusalsOfParts(route), ...refusalsOfWork(route)];
}

function refusalsOfGuards(route: Route): SharedRefusal[] {
  const refusals = [plain('403', 'HTTPS_REQUIRED'), plain('429', 'RATE_LIMITED')];
  const { guard } = route;
  if (guard.kind !== 'operational' && guard.kind !== 'public') {
    const may = {
      session: 'a key in place of a session',
      caller: 'an inactive channel or user',
      permission: 'not permitted',
    }[guard.kind];
    refusals.push(
      plain('400', 'More than one credential'),
      plain('401', 'No credential, or one that stands for nobody'),
      plain('403', `ORGANIZATION_NOT_ACTIVE, EMAIL_NOT_VERIFIED, or ${may}`),
    );
  }
  if (needsOrganization(guard)) refusals.push(plain('400', 'A super admin without X-Organization-Id'));
  if (takesOrganization(route)) {
    refusals.push(
      violations('400', 'Validation failed; the body lists every violation'),
      plain('404', 'X-Organization-Id names no organization'),
    );
  }
  return refusals;
}

function refusalsOfParts(route: Route): SharedRefusal[] {
  const isJson = route.kind === 'api' && route.body !== undefined;
  return [
    ...(route.body ? [plain('413', `The body exceeds ${route.body.maxBytes} bytes`)] : []),
    ...(isJson ? [plain('415', 'The Content-Type is not application/json'), plain('400', 'Malformed JSON')] : []),
    ...(takesForm(route) ? [plain('415', `The Content-Type is not ${FORM_MEDIA}`)] : []),
    ...(isBelowApi(route) || route.query
      ? [violations('400', 'Validation failed; the body lists every violation')]
      : []),
    ...(takesIdempotencyKey(route) ? [plain('400', 'A malformed Idempotency-Key')] : []),
  ];
}

function refusalsOfWork({ kind }: Route): SharedRefusal[] {
  const away = kind === 'api' ? 'NOT_APPLIED, OUTCOME_UNKNOWN, OVERLOADED, NOT_OWNER or UNAVAILABLE' : 'UNAVAILABLE';
  return [plain('500', 'Unexpected failure of the server'), plain('503', away)];
}

function plain(status: string, reason: string): SharedRefusal {
  return { status, reason, body: 'Error' };
}

function violations(status: string, reason: string): SharedRefusal {
  return { status, reason, body: 'ValidationError' };
}

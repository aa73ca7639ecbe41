/**
 * Every coded refusal of the API: its status and its default message, one table for the gateway, the engine
 * and the OpenAPI document. Errors without a code (plain 400, 401, 404 …) are made by status alone.
 */
export const ERRORS = {
  VALIDATION_FAILED: { status: 400, message: 'Bad Request' },
  TOKEN_INVALID: { status: 400, message: 'The token is unknown, used or expired' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  HTTPS_REQUIRED: { status: 403, message: 'Only HTTPS is accepted' },
  EMAIL_NOT_VERIFIED: { status: 403, message: 'The e-mail address is not verified yet' },
  ORGANIZATION_NOT_ACTIVE: { status: 403, message: 'The organization is not active' },
  PACKAGE_LIMIT_EXCEEDED: { status: 403, message: 'The subscription limit is reached' },
  FORBIDDEN: { status: 403, message: 'Forbidden' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  INVALID_STATUS_TRANSITION: { status: 409, message: 'The task cannot change to this status' },
  STATUS_DERIVED: { status: 409, message: 'The status of a job follows from its children' },
  INVALID_PACKAGE_TRANSITION: { status: 409, message: 'The package cannot change to this status' },
  INVALID_PARENT: { status: 409, message: 'The parent cannot take the task as a child' },
  TASK_NOT_EDITABLE: { status: 409, message: 'The task can no longer be edited' },
  AGENT_NOT_ACTIVE: { status: 409, message: 'The agent is not active' },
  AGENT_HAS_OPEN_TASKS: { status: 409, message: 'The agent has open tasks' },
  TOO_MANY_SHIFTS: { status: 409, message: 'The agent has as many shifts as it may have' },
  AGENT_SLOT_TAKEN: { status: 409, message: 'The agent has another task at that time' },
  AGENT_OVER_CAPACITY: { status: 409, message: 'The vehicle of the agent cannot carry the task as well' },
  AGENT_REQUIRED: { status: 409, message: 'The task needs an assigned agent' },
  ASSIGNMENT_ALREADY_TAKEN: { status: 409, message: 'Somebody else has taken the task' },
  ASSIGNMENT_REQUEST_EXPIRED: { status: 409, message: 'The request has run out' },
  ASSIGNMENT_REQUEST_CLOSED: { status: 409, message: 'The request no longer waits for an answer' },
  NO_PICKUP_PLACE: { status: 409, message: 'The task has no pickup place' },
  PICKUP_NOT_EXPECTED: { status: 409, message: 'Goods are picked up once the task is accepted, and before it ends' },
  TASK_NOT_COMPLETED: { status: 409, message: 'The task is not completed' },
  TASK_ALREADY_RATED: { status: 409, message: 'The task is rated' },
  TASK_MOVED_ON: { status: 409, message: 'The task is no longer with that agent, or no longer in that status' },
  TASK_NOT_FAILED: { status: 409, message: 'Only a task that was completed as failed is reattempted' },
  TASK_ALREADY_REATTEMPTED: { status: 409, message: 'The task is reattempted' },
  TASK_NOT_RETURNABLE: { status: 409, message: 'The task has no pickup place to bring anything back to' },
  TASK_NOT_PAYABLE: { status: 409, message: 'A cancelled task cannot be paid' },
  TASK_ALREADY_PAID: { status: 409, message: 'The task is paid' },
  PAYMENT_PENDING: { status: 409, message: 'The task has a payment that is not settled yet' },
  PAYMENT_AMOUNT_MISMATCH: { status: 409, message: 'The task is about another amount' },
  PAYMENT_NOT_REFUNDABLE: { status: 409, message: 'Only a payment that succeeded can be refunded' },
  PAYMENT_ALREADY_REFUNDED: { status: 409, message: 'The payment is refunded, or about to be' },
  CUSTOMER_REQUIRED: { status: 409, message: 'The task has no customer whose wallet could pay' },
  INSUFFICIENT_FUNDS: { status: 409, message: 'The balance does not cover the amount' },
  TASK_CODE_TAKEN: { status: 409, message: 'Another task of the organization has this code' },
  CUSTOMER_PHONE_TAKEN: { status: 409, message: 'Another customer of the organization has this phone number' },
  USER_EMAIL_TAKEN: { status: 409, message: 'Another user has this e-mail address' },
  CHANNEL_BUILT_IN: { status: 409, message: 'The built-in channel stays as it is' },
  WEBHOOK_LIMIT_REACHED: { status: 409, message: 'The organization has as many webhooks as it may have' },
  PACKAGE_ATTACHED: { status: 409, message: 'The package belongs to another task' },
  PACKAGE_DETACHED: { status: 409, message: 'The package belongs to no task' },
  TOO_MANY_PACKAGES: { status: 409, message: 'The task has as many packages as it may have' },
  TASK_TOO_LARGE: { status: 409, message: 'The task, or its job, would hold too much text' },
  PROOF_NOT_EXPECTED: { status: 409, message: 'Only a task that was accepted and not cancelled has proofs' },
  PROOF_REQUIRED: { status: 409, message: 'The task needs proof before it can succeed' },
  BARCODE_UNKNOWN: { status: 409, message: 'No package of the task has this barcode' },
  TOO_MANY_PROOFS: { status: 409, message: 'The task has as many proofs as it may have' },
  PIN_MISMATCH: { status: 409, message: 'The PIN is not that of the task' },
  PIN_LOCKED: { status: 409, message: 'Too many wrong PINs were given for the task' },
  WAREHOUSE_INACTIVE: { status: 409, message: 'The warehouse is not active' },
  CONFLICT: { status: 409, message: 'The change conflicts with the stored data' },
  EVENTS_EXPIRED: { status: 410, message: 'Events after this sequence are no longer kept' },
  ORGANIZATION_DELETED: { status: 410, message: 'The organization is deleted' },
  PRECONDITION_FAILED: { status: 412, message: 'The record is no longer what If-Match names' },
  BATCH_REJECTED: { status: 422, message: 'Nothing was created: some of the tasks were refused' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'The Idempotency-Key was used with another payload' },
  TOO_MANY_ORDERS: { status: 429, message: 'As much as may wait is ordered of this webhook; try again later' },
  RATE_LIMITED: { status: 429, message: 'Too many requests; try again later' },
  INTERNAL: { status: 500, message: 'Internal server error' },
  NOT_APPLIED: { status: 503, message: 'The change was not applied; try again' },
  OUTCOME_UNKNOWN: {
    status: 503,
    message: 'It is not known whether the change was applied; try again with the same Idempotency-Key',
  },
  OVERLOADED: { status: 503, message: 'Too much work at the moment; try again' },
  NOT_OWNER: { status: 503, message: 'The organization is moving between servers; try again' },
  UNAVAILABLE: { status: 503, message: 'A store cannot be reached; try again' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes that only steer: the body of such an answer is the plain error of its status. */
export const UNCODED: ReadonlySet<ErrorCode> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'INTERNAL']);

/** The answer to a command that the engine refuses. It travels between processes as JSON. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function refusal(code: ErrorCode, message?: string, details?: Readonly<Record<string, unknown>>): Refusal {
  const base = { code, message: message ?? ERRORS[code].message };
  return details ? { ...base, details } : base;
}

/**
 * Whether a refusal is an outcome, kept under the Idempotency-Key like a success (docs/contract.md §1): what was decided of
 * the records, as against what was wrong with the request or with the system.
 */
export function isOutcome({ code }: Refusal): boolean {
  const status: number = ERRORS[code].status;
  return status === 404 || status === 409 || status === 412 || code === 'PACKAGE_LIMIT_EXCEEDED';
}

/** 404 for an id that is unknown or another organization's: the same bytes for both. */
export function notFound(what: string, id: number | 'me'): Refusal {
  return refusal('NOT_FOUND', `${what} with ID ${id} not found`);
}

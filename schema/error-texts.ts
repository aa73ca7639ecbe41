import type { ErrorCode } from './errors.ts';

/** When each coded refusal comes, and what a client does then: for the reference and docs/errors.md, which a test compares. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, { readonly when: string; readonly remedy: string }>> = {
  VALIDATION_FAILED: {
    when: 'The request broke one or more rules. `message` lists every violation with its field',
    remedy: 'Correct the fields',
  },
  TOKEN_INVALID: {
    when: 'The token of a mail or an invitation is unknown, used or expired, or its user is inactive',
    remedy: 'Request a new mail or invitation',
  },
  UNAUTHORIZED: { when: 'No credential, or a wrong one', remedy: 'Send a valid key, or sign in again' },
  HTTPS_REQUIRED: { when: 'The request came over plain HTTP', remedy: 'Use HTTPS; check the proxy settings' },
  EMAIL_NOT_VERIFIED: {
    when: 'The user has not verified the e-mail address',
    remedy: 'Verify it; `/auth/resend-verification` sends a new mail',
  },
  ORGANIZATION_NOT_ACTIVE: {
    when: 'The organization is pending, inactive or rejected',
    remedy: 'Ask the operator to activate it',
  },
  PACKAGE_LIMIT_EXCEEDED: {
    when: 'The subscription limit of a resource is reached; see `details`',
    remedy: 'Wait until `resetsAt`, or ask for a higher limit',
  },
  FORBIDDEN: {
    when: 'The channel is not active, the role lacks the permission (`x-permission` of the operation), or a rule of the operation shuts the caller out',
    remedy: 'Use a caller with the permission, whom the contract names for the operation',
  },
  NOT_FOUND: { when: 'The record does not exist, or belongs to another organization or agent', remedy: 'Check the id' },
  INVALID_STATUS_TRANSITION: {
    when: 'The task cannot change to this status; `details` has `from`, `to`, `allowed`',
    remedy: 'Read the task, choose an allowed step',
  },
  STATUS_DERIVED: { when: 'The status of a job follows from its children', remedy: 'Change the children' },
  INVALID_PACKAGE_TRANSITION: {
    when: 'The package cannot change to this status; see `details.allowed`',
    remedy: 'Choose an allowed step',
  },
  INVALID_PARENT: {
    when: 'The parent cannot have this child, for example because it has ended',
    remedy: 'Choose another parent',
  },
  TASK_NOT_EDITABLE: {
    when: 'The task has left `new` and `awaiting_assignment`, or is to be amended and has ended; see `details.editableIn`',
    remedy: 'Amend it (`POST /tasks/:id/amend`), or leave it',
  },
  AGENT_NOT_ACTIVE: { when: 'The agent is deactivated', remedy: 'Choose another agent' },
  AGENT_HAS_OPEN_TASKS: {
    when: 'An agent with open tasks cannot be deactivated; open requests and offers do not count',
    remedy: 'Move or end its tasks first',
  },
  TOO_MANY_SHIFTS: { when: 'The agent would have more shifts than `details.limit`', remedy: 'Set the far ones later' },
  AGENT_SLOT_TAKEN: {
    when: 'The agent has another scheduled task at that time',
    remedy: 'Choose another agent or time',
  },
  AGENT_OVER_CAPACITY: { when: 'The vehicle cannot carry this task as well', remedy: 'Choose another agent' },
  AGENT_REQUIRED: { when: 'The step needs an assigned agent or courier', remedy: 'Assign the task first' },
  ASSIGNMENT_ALREADY_TAKEN: { when: 'Another agent accepted first', remedy: 'Remove the offer from the app' },
  ASSIGNMENT_REQUEST_EXPIRED: { when: 'The answer came after `expiresAt`', remedy: 'Remove the offer from the app' },
  ASSIGNMENT_REQUEST_CLOSED: { when: 'The request was answered or withdrawn before', remedy: 'Read the request' },
  NO_PICKUP_PLACE: {
    when: 'The task has no pickup place, so nothing is picked up',
    remedy: 'Send `in_transit` when the courier sets out',
  },
  PICKUP_NOT_EXPECTED: {
    when: 'Goods are picked up in `accepted` and `in_transit` only; see `details`',
    remedy: 'Accept the task first',
  },
  TASK_NOT_COMPLETED: { when: 'Only a completed task can be rated', remedy: 'Wait for its end' },
  TASK_ALREADY_RATED: { when: 'The task has its rating', remedy: 'Show the rating' },
  TASK_MOVED_ON: {
    when: 'The task is no longer as the request expects it; `details` has its `status` and `agentId`',
    remedy: 'Read the task, and decide again',
  },
  TASK_NOT_FAILED: {
    when: 'Only a task that was completed as failed is attempted again; `details` has its `status` and `outcome`',
    remedy: 'Read the task',
  },
  TASK_ALREADY_REATTEMPTED: {
    when: 'The failed task has its next attempt; see `details.nextTaskId`',
    remedy: 'Go on with that task',
  },
  TASK_NOT_RETURNABLE: {
    when: 'There is nothing to bring back, or no pickup place to bring it to; see `details.reason`',
    remedy: 'Create a return with the place',
  },
  TASK_NOT_PAYABLE: {
    when: 'A cancelled task, one that was attempted again, or a `cash_drop`, cannot be paid; an agent collects no cash of a task that it has not accepted',
    remedy: 'Do not pay it; accept first',
  },
  TASK_ALREADY_PAID: { when: 'The task is paid', remedy: 'Read its `paymentId`' },
  PAYMENT_PENDING: {
    when: 'The task has an online payment that is not settled, and another online payment is asked for',
    remedy: 'Wait for `payment.succeeded` or `payment.failed`, or take cash or the wallet, which end it',
  },
  PAYMENT_AMOUNT_MISMATCH: { when: 'The amount or currency is not that of the task', remedy: "Send the task's amount" },
  PAYMENT_NOT_REFUNDABLE: { when: 'Only a payment that succeeded can be refunded', remedy: 'Read the payment' },
  PAYMENT_ALREADY_REFUNDED: {
    when: 'The payment is refunded, or its refund is on the way',
    remedy: 'Read `refund.status`',
  },
  CUSTOMER_REQUIRED: { when: 'The task has no customer whose wallet could pay', remedy: 'Pay in another way' },
  INSUFFICIENT_FUNDS: { when: 'The balance does not cover the amount', remedy: 'Top the wallet up' },
  TASK_CODE_TAKEN: { when: 'Another task of the organization has this code', remedy: 'Choose another code' },
  CUSTOMER_PHONE_TAKEN: { when: 'Another customer has this phone number', remedy: 'Use that customer' },
  USER_EMAIL_TAKEN: {
    when: 'Another user, of any organization, has this e-mail address',
    remedy: 'Choose another address',
  },
  CHANNEL_BUILT_IN: {
    when: 'The built-in channel stays active, and has neither a key nor a `rateLimit`',
    remedy: 'Create a channel',
  },
  WEBHOOK_LIMIT_REACHED: { when: 'The organization has 100 webhooks', remedy: 'Delete one' },
  PACKAGE_ATTACHED: { when: 'The package belongs to another task', remedy: 'Choose a free package' },
  PACKAGE_DETACHED: { when: 'The package belongs to no task, so it has no steps', remedy: 'Attach it to a task' },
  TOO_MANY_PACKAGES: { when: 'The task would have more than 500 packages', remedy: 'Use a second task' },
  TASK_TOO_LARGE: {
    when: 'The texts of the task or its job, or of tasks that its packages leave, are too long together',
    remedy: 'Shorten notes and descriptions',
  },
  PROOF_NOT_EXPECTED: {
    when: 'Only a task that was accepted and not cancelled has proofs',
    remedy: 'Send it after acceptance',
  },
  PROOF_REQUIRED: {
    when: 'The task requires what is not there yet; `details.missing` names it',
    remedy: 'Send the proofs, scans and the note, or let a dispatcher override',
  },
  BARCODE_UNKNOWN: {
    when: 'No package of the task has this barcode',
    remedy: 'Scan another package, or look for its task by `GET /packages?barcode=`',
  },
  TOO_MANY_PROOFS: { when: 'The task has 20 proofs', remedy: 'Send no more' },
  PIN_MISMATCH: { when: 'The PIN is wrong', remedy: 'Ask the customer again' },
  PIN_LOCKED: { when: 'Five wrong PINs were given', remedy: 'Use a photo or a signature' },
  WAREHOUSE_INACTIVE: { when: 'The warehouse is not active', remedy: 'Activate it, or choose another' },
  CONFLICT: { when: 'The change conflicts with stored data', remedy: 'Read the record and retry' },
  EVENTS_EXPIRED: {
    when: 'Events after this sequence are no longer kept, or the log ends before it, as after a restore; of `GET /events`, `details.keptAfter` is the `after` that reads all that are kept',
    remedy: 'Read the lists again, continue from `metadata.position`',
  },
  ORGANIZATION_DELETED: { when: 'The organization is deleted', remedy: 'Stop calling' },
  PRECONDITION_FAILED: {
    when: 'The record is no longer the one that `If-Match` names',
    remedy: 'Read it again, then repeat the change',
  },
  BATCH_REJECTED: {
    when: 'An atomic batch had a failing item; nothing was created',
    remedy: 'Correct `details.items`',
  },
  IDEMPOTENCY_KEY_REUSED: { when: 'The key was used with another payload', remedy: 'Use a new key for a new request' },
  TOO_MANY_ORDERS: {
    when: 'Too many tests, redeliveries or replays wait for this webhook',
    remedy: 'Retry after `Retry-After`',
  },
  RATE_LIMITED: {
    when: 'The rate limit of the channel, user or address is used up',
    remedy: 'Retry after `Retry-After`',
  },
  INTERNAL: {
    when: 'An error that the service did not expect; it is in the log under the correlation id',
    remedy: 'Report it',
  },
  NOT_APPLIED: { when: 'The change was not written', remedy: 'Retry' },
  OUTCOME_UNKNOWN: { when: 'The change may be written', remedy: 'Retry with the same `Idempotency-Key`' },
  OVERLOADED: {
    when: 'A queue is full, or a search of the log has found nothing yet',
    remedy: 'Retry after `Retry-After`',
  },
  NOT_OWNER: { when: 'The organization is moving between gateways', remedy: 'Retry after `Retry-After`' },
  UNAVAILABLE: { when: 'A store cannot be reached', remedy: 'Retry after `Retry-After`' },
};

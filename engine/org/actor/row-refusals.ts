import { type ErrorCode, type Refusal, refusal } from '../../../schema/errors.ts';
import type { CommitError } from '../../store/actor/commit-store.ts';

/** Constraints whose violation has a code of its own; the others are defects, answered 500. */
const CODE_BY_CONSTRAINT: Readonly<Record<string, ErrorCode>> = {
  tasks_code: 'TASK_CODE_TAKEN',
  tasks_previous_task: 'TASK_ALREADY_REATTEMPTED',
  customers_phone: 'CUSTOMER_PHONE_TAKEN',
  users_email: 'USER_EMAIL_TAKEN',
};

/** Codes that were given were looked for before: one that is taken all the same has been drawn, once in 2^50 times. */
export function isDrawnCode({ constraint }: CommitError): boolean {
  return constraint === 'tasks_code';
}

/** The answer to a command whose row Postgres refuses. */
export function refusalOfRow(error: CommitError): Refusal {
  return refusal(CODE_BY_CONSTRAINT[error.constraint ?? ''] ?? 'INTERNAL');
}

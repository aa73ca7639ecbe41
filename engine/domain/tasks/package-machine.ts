import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { PaymentMethod } from '../../../schema/money/payment.ts';
import { PACKAGE_STATUSES, type PackageRecord, type PackageStatus } from '../../../schema/tasks/package.ts';
import type { TaskOutcome, TaskRecord } from '../../../schema/tasks/task.ts';

/** The steps of docs/contract.md §3 that every package may make. */
const TRANSITIONS: Readonly<Record<PackageStatus, readonly PackageStatus[]>> = {
  pending: ['picking_up', 'cancelled'],
  picking_up: ['picked_up', 'cancelled'],
  picked_up: ['delivering', 'returned', 'lost', 'damaged'],
  delivering: ['delivered', 'returned', 'lost', 'damaged'],
  delivered: [],
  collecting_payment: ['lost', 'damaged'],
  payment_collected: ['lost', 'damaged'],
  dropping_payment: ['lost', 'damaged'],
  payment_dropped: [],
  returned: [],
  cancelled: [],
  lost: [],
  damaged: ['returned'],
};

/** The further steps where the task has an amount. It may be paid beforehand, so delivering without them stays allowed. */
const PAYMENT_STEPS: Readonly<Partial<Record<PackageStatus, PackageStatus>>> = {
  delivering: 'collecting_payment',
  collecting_payment: 'payment_collected',
  payment_collected: 'delivered',
  delivered: 'dropping_payment',
  dropping_payment: 'payment_dropped',
};

const NOT_YET_TAKEN: ReadonlySet<PackageStatus> = new Set(['pending', 'picking_up']);
/** The thing itself is with the courier. While a payment is dropped, it is with the customer. */
const IN_CUSTODY: ReadonlySet<PackageStatus> = new Set([
  'picked_up',
  'delivering',
  'collecting_payment',
  'payment_collected',
  'damaged',
]);
const DELIVERED: ReadonlySet<PackageStatus> = new Set(['delivered', 'dropping_payment', 'payment_dropped']);

export interface PackageTerms {
  /** Whether the package's task has an amount to collect. */
  readonly hasAmount: boolean;
}

export type PackageVerdict =
  | { readonly kind: 'unchanged' | 'change' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The statuses that may follow `from`, in the order of the 13. */
export function allowedPackageNext(from: PackageStatus, { hasAmount }: PackageTerms): readonly PackageStatus[] {
  const next = TRANSITIONS[from];
  const paying = PAYMENT_STEPS[from];
  return hasAmount && paying ? PACKAGE_STATUSES.filter((to) => to === paying || next.includes(to)) : next;
}

/** PATCH /packages/:id. The present status sent again changes nothing. Refuses with INVALID_PACKAGE_TRANSITION. */
export function judgePackageStep(from: PackageStatus, to: PackageStatus, terms: PackageTerms): PackageVerdict {
  if (from === to) return { kind: 'unchanged' };
  const allowed = allowedPackageNext(from, terms);
  if (allowed.includes(to)) return { kind: 'change' };
  const why = PAYMENT_STEPS[from] === to ? ': its task has no amount' : '';
  const message = `A package in ${from} cannot become ${to}${why}`;
  return { kind: 'refused', refusal: refusal('INVALID_PACKAGE_TRANSITION', message, { from, to, allowed }) };
}

/**
 * The status that a completed task gives its package. The packages still in custody were handed over, unless the task
 * failed: then they go the way of a cancelled task's. A damaged package of a successful task stays damaged until it is
 * returned.
 */
export function afterCompletion(status: PackageStatus, outcome: TaskOutcome): PackageStatus {
  if (outcome === 'failed') return afterCancellation(status);
  const handedOver = NOT_YET_TAKEN.has(status) || (IN_CUSTODY.has(status) && status !== 'damaged');
  return handedOver ? 'delivered' : status;
}

/** Where a cancelled task leaves a package: back with its sender when it was in custody, else cancelled. */
export function afterCancellation(status: PackageStatus): PackageStatus {
  if (NOT_YET_TAKEN.has(status)) return 'cancelled';
  return IN_CUSTODY.has(status) ? 'returned' : status;
}

/** Where the payment of its task leaves a package that waits for it. Cash at the door needs no step of its own before. */
export function afterPayment(status: PackageStatus, method: PaymentMethod): PackageStatus {
  const waits = status === 'collecting_payment' || (status === 'delivering' && method === 'cash');
  return waits ? 'payment_collected' : status;
}

/** Whether the courier has the thing itself. */
export function isInCustody(status: PackageStatus): boolean {
  return IN_CUSTODY.has(status);
}

/**
 * Whether a package of a failed task goes along with the next attempt: the sender has it, and nobody had cancelled it before
 * the failure, which would be its last change then. A driver who was offline has failed at `occurredAt`: what was cancelled
 * between that and the report goes along, too.
 */
export function goesAlong(
  { status, updatedAt }: Pick<PackageRecord, 'status' | 'updatedAt'>,
  { completedAt }: Pick<TaskRecord, 'completedAt'>,
): boolean {
  const wasCancelledBefore = completedAt !== null && updatedAt < completedAt;
  return status === 'returned' || (status === 'cancelled' && !wasCancelledBefore);
}

/** Whether the customer has it, regardless of the money since: such a package moves to no other task. */
export function wasDelivered(status: PackageStatus): boolean {
  return DELIVERED.has(status);
}

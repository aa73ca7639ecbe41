import { LIMITS } from '../../../schema/limits.ts';
import type { ProviderName, ProviderStep } from '../../../schema/money/payment.ts';
import { URGENT_STEPS, WAITING_STEPS } from '../../domain/money/provider-steps.ts';

import { type Fragment, numberArray, type Sql, textArray } from '../postgres.ts';
import { once } from '../statements.ts';

export interface StepKey {
  readonly organizationId: number;
  readonly paymentId: number;
  readonly step: ProviderStep;
}

/** A due step. */
export interface DueStep extends StepKey {
  /** Tries so far. */
  readonly attempts: number;
}

/** A step that this process has leased, with the fields of its payment; `attempts` counts this one, too. */
export interface PaymentStep extends DueStep {
  readonly amountMinor: number;
  readonly currency: string;
  /** The caller's reference of the payment. */
  readonly reference: string | null;
  readonly taskId: number;
  readonly provider: ProviderName;
  readonly providerReference: string | null;
  readonly checkoutToken: string;
  /** The refund that it is about; null when none was requested. */
  readonly refundAttempt: number | null;
}

/**
 * The open steps at payment providers. The payment names the step (`payments.step`), and `payment_attempts` its next
 * time. A worker that takes a step puts it off, so that the step of a worker that dies is due again.
 */
export interface PaymentStepStore {
  /** Notes steps without a row: those that call for work, or all. At most LIMITS.paymentsEnlisted. */
  enlist(which: 'urgent' | 'all'): Promise<void>;
  /**
   * Due steps, at most LIMITS.paymentsPerPage of all organizations except the given ones; of each the
   * LIMITS.paymentStepsPerOrganization that have been due longest.
   */
  findDue(passedOrganizations: readonly number[]): Promise<DueStep[]>;
  /**
   * Leases a step for LIMITS.paymentLeaseMs; undefined when it is not due, or another process has it. Deletes one that
   * is no longer needed.
   */
  lease(step: StepKey): Promise<PaymentStep | undefined>;
  /** Renews the lease. A step that was put off for longer in the meantime stays so. */
  renew(steps: readonly StepKey[]): Promise<void>;
  /** Deletes a done step and notes the next one; false when it is still to be done. */
  settle(step: StepKey): Promise<boolean>;
  /** Retries after `pauseMs`; `error` is the reason, cut to LIMITS.paymentErrorChars. */
  postpone(step: StepKey, pauseMs: number, error: string | null): Promise<void>;
}

/** Constants of a statement, so that Postgres plans it for these: nearly all payments with a step only wait. */
function quoted(steps: readonly ProviderStep[]): string {
  return steps.map((step) => `'${step}'`).join(', ');
}

export function createPaymentStepStore(sql: Sql): PaymentStepStore {
  const waiting = sql.unsafe(quoted(WAITING_STEPS));
  const urgent = sql.unsafe(quoted(URGENT_STEPS));
  const firstDue = sql`now() + CASE WHEN p.step IN (${waiting})
    THEN ${LIMITS.paymentLookMs} * interval '1 ms' ELSE interval '0' END`;
  const leaseEnd = sql`now() + ${LIMITS.paymentLeaseMs} * interval '1 ms'`;
  return {
    async enlist(which) {
      const steps = which === 'all' ? sql`${urgent}, ${waiting}` : urgent;
      await once(
        sql`
        INSERT INTO payment_attempts (organization_id, payment_id, step, due_at)
          SELECT p.organization_id, p.id, p.step, ${firstDue} FROM payments p
          WHERE p.step IS NOT NULL AND p.step IN (${steps}) AND NOT EXISTS (
            SELECT FROM payment_attempts a
            WHERE a.organization_id = p.organization_id AND a.payment_id = p.id AND a.step = p.step)
          LIMIT ${LIMITS.paymentsEnlisted}
        ON CONFLICT (organization_id, payment_id, step) DO NOTHING`,
        'noting steps of payments',
        LIMITS.fetchDeadlineMs,
      );
    },
    findDue: (passed) =>
      once(
        sql<DueStep[]>`
        WITH due AS (
          SELECT organization_id, payment_id, step, attempts, due_at FROM payment_attempts
          WHERE due_at <= now() AND organization_id <> ALL(${numberArray(passed)}::bigint[])
          ORDER BY due_at LIMIT ${LIMITS.paymentsPerPage}
        ), ranked AS (
          SELECT *, row_number() OVER (PARTITION BY organization_id ORDER BY due_at) AS nth FROM due)
        SELECT organization_id, payment_id, step, attempts FROM ranked
        WHERE nth <= ${LIMITS.paymentStepsPerOrganization} ORDER BY due_at`,
        'looking for steps of payments',
        LIMITS.fetchDeadlineMs,
      ),
    async lease(key) {
      const [leased] = await once(leaseOf(sql, key, leaseEnd), 'taking on a step of a payment', LIMITS.fetchDeadlineMs);
      return leased;
    },
    async renew(steps) {
      await once(
        sql`
        UPDATE payment_attempts a SET due_at = ${leaseEnd}
        FROM unnest(${numberArray(steps.map(({ organizationId }) => organizationId))}::bigint[],
          ${numberArray(steps.map(({ paymentId }) => paymentId))}::bigint[],
          ${textArray(steps.map(({ step }) => step))}::text[]) AS held (organization_id, payment_id, step)
        WHERE a.organization_id = held.organization_id AND a.payment_id = held.payment_id AND a.step = held.step
          AND a.due_at < ${leaseEnd}`,
        'going on with steps of payments',
        LIMITS.fetchDeadlineMs,
      );
    },
    settle: (key) => settle(sql, key, firstDue),
    async postpone({ organizationId, paymentId, step }, pauseMs, error) {
      await once(
        sql`
        UPDATE payment_attempts
        SET due_at = now() + ${pauseMs} * interval '1 ms', last_error = ${error?.slice(0, LIMITS.paymentErrorChars) ?? null}
        WHERE organization_id = ${organizationId} AND payment_id = ${paymentId} AND step = ${step}`,
        'postponing a step of a payment',
        LIMITS.fetchDeadlineMs,
      );
    },
  };
}

function leaseOf(sql: Sql, { organizationId, paymentId, step }: StepKey, leaseEnd: Fragment) {
  return sql<PaymentStep[]>`
        WITH due AS (
          SELECT organization_id, payment_id, step FROM payment_attempts
          WHERE organization_id = ${organizationId} AND payment_id = ${paymentId} AND step = ${step} AND due_at <= now()
          FOR UPDATE SKIP LOCKED
        ), over AS (
          DELETE FROM payment_attempts a USING due d
          WHERE a.organization_id = d.organization_id AND a.payment_id = d.payment_id AND a.step = d.step
            AND NOT EXISTS (
              SELECT FROM payments p
              WHERE p.organization_id = d.organization_id AND p.id = d.payment_id AND p.step = d.step))
        UPDATE payment_attempts a SET due_at = ${leaseEnd}, attempts = a.attempts + 1
        FROM due d JOIN payments p ON p.organization_id = d.organization_id AND p.id = d.payment_id AND p.step = d.step
        WHERE a.organization_id = d.organization_id AND a.payment_id = d.payment_id AND a.step = d.step
        RETURNING a.organization_id, a.payment_id, a.step, a.attempts, p.amount_minor, p.currency, p.reference, p.task_id,
          p.provider, p.provider_reference, p.checkout_token, (p.refund ->> 'attempt')::int AS refund_attempt`;
}

async function settle(sql: Sql, { organizationId, paymentId, step }: StepKey, firstDue: Fragment): Promise<boolean> {
  const [row] = await once(
    sql<{ isDone: boolean }[]>`
    WITH p AS (
      SELECT organization_id, id, step FROM payments WHERE organization_id = ${organizationId} AND id = ${paymentId}
    ), done AS (
      DELETE FROM payment_attempts
      WHERE organization_id = ${organizationId} AND payment_id = ${paymentId} AND step = ${step}
        AND NOT EXISTS (SELECT FROM p WHERE p.step = ${step})
    ), following AS (
      INSERT INTO payment_attempts (organization_id, payment_id, step, due_at)
        SELECT p.organization_id, p.id, p.step, ${firstDue} FROM p WHERE p.step <> ${step}
      ON CONFLICT (organization_id, payment_id, step) DO UPDATE SET attempts = 0, due_at = excluded.due_at)
    SELECT NOT EXISTS (SELECT FROM p WHERE p.step = ${step}) AS is_done`,
    'settling a step of a payment',
    LIMITS.fetchDeadlineMs,
  );
  return row!.isDone;
}

/** A step as an operator sees it. */
export interface OpenStep extends Pick<DueStep, 'paymentId' | 'step' | 'attempts'> {
  readonly provider: ProviderName;
  /** Null until a worker has noted it. */
  readonly dueAt: string | null;
  readonly lastError: string | null;
}

/** The open steps at providers of an organization, those that failed most often first; LIMITS.paymentsPerPage. */
export function listOpenSteps(sql: Sql, organizationId: number): Promise<OpenStep[]> {
  return once(
    sql<OpenStep[]>`
    SELECT p.id AS payment_id, p.provider, p.step, coalesce(a.attempts, 0) AS attempts, a.due_at, a.last_error
    FROM payments p LEFT JOIN payment_attempts a
      ON a.organization_id = p.organization_id AND a.payment_id = p.id AND a.step = p.step
    WHERE p.organization_id = ${organizationId} AND p.step IS NOT NULL
    ORDER BY a.attempts DESC NULLS LAST, p.id LIMIT ${LIMITS.paymentsPerPage}`,
    'listing steps of payments',
    LIMITS.fetchDeadlineMs,
  );
}

/** Makes the open step of a payment due, unless a worker may have it; undefined when there is none. */
export async function hurryStep(
  sql: Sql,
  { organizationId, paymentId }: Omit<StepKey, 'step'>,
): Promise<Pick<OpenStep, 'step' | 'attempts' | 'lastError'> | undefined> {
  const [step] = await once(
    sql<Pick<OpenStep, 'step' | 'attempts' | 'lastError'>[]>`
    WITH open AS (
      SELECT organization_id, id, step FROM payments
      WHERE organization_id = ${organizationId} AND id = ${paymentId} AND step IS NOT NULL
    ), hurried AS (
      UPDATE payment_attempts a SET due_at = now() FROM open o
      WHERE a.organization_id = o.organization_id AND a.payment_id = o.id AND a.step = o.step
        AND a.due_at > now() + ${LIMITS.paymentLeaseMs} * interval '1 ms')
    SELECT o.step, coalesce(a.attempts, 0) AS attempts, a.last_error
    FROM open o LEFT JOIN payment_attempts a
      ON a.organization_id = o.organization_id AND a.payment_id = o.id AND a.step = o.step`,
    'having a step of a payment done',
    LIMITS.fetchDeadlineMs,
  );
  return step;
}

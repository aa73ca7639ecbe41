import { LIMITS } from '../../../schema/limits.ts';
import type { ListPaymentsQuery, PaymentRecord } from '../../../schema/money/payment.ts';
import { type Listed, type ListPage, listPart, listPlace, pageOf } from '../list-page.ts';
import { type Fragment, isOneOf, type Sql, textArray } from '../postgres.ts';
import { PAYMENT } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';

export interface PaymentDetail {
  readonly payment: PaymentRecord;
  /** Sequence of the organization's log at which it was true. */
  readonly sequence: number;
}

/** A page of payments, newest first. */
export async function listPayments(
  sql: Sql,
  organizationId: number,
  { part, ...filter }: ListPaymentsQuery,
): Promise<ListPage<PaymentRecord>> {
  const matching = matchingPayments(sql, filter);
  const query = () => sql<Listed<PaymentRecord>[]>`
    SELECT h.last_sequence AS sequence, (${countOf(sql, organizationId, filter)}) AS count, b.*,
      ${sql.unsafe(listPlace())}
    FROM organization_heads h LEFT JOIN (
      SELECT ${sql.unsafe(PAYMENT.list('p'))} FROM payments p WHERE p.organization_id = ${organizationId} ${matching}
        ${listPart(sql, part, 'p')}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.created_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing payments');
  return pageOf(rows, part, (payment) => payment);
}

type PaymentFilter = Omit<ListPaymentsQuery, 'part'>;

/**
 * The number of matches: kept as payments change, where the filter is by kind alone; otherwise counted along an index.
 */
function countOf(sql: Sql, organizationId: number, filter: PaymentFilter): Fragment {
  const { status, method, ...others } = filter;
  if (Object.values(others).some((value) => value !== undefined)) {
    return sql`SELECT count(*) FROM payments p
      WHERE p.organization_id = ${organizationId} ${matchingPayments(sql, filter)}`;
  }
  return sql`SELECT coalesce(sum(p.count), 0)::bigint FROM payment_counts p
    WHERE p.organization_id = ${organizationId} ${ofKind(sql, { status, method })}`;
}

function matchingPayments(
  sql: Sql,
  { status, method, taskId, customerId, agentId, from, to }: PaymentFilter,
): Fragment {
  const isUnsettled = status?.length && !status.includes('succeeded');
  return sql`
    ${taskId === undefined ? sql`` : sql`AND p.task_id = ${taskId}`}
    ${customerId === undefined ? sql`` : sql`AND p.customer_id = ${customerId}`}
    ${agentId?.length ? sql`AND p.agent_id ${isOneOf(sql, agentId)}` : sql``}
    ${ofKind(sql, { status, method })}
    ${/* What an index is for, in the words that it has. */ isUnsettled ? sql`AND p.status <> 'succeeded'` : sql``}
    ${from === undefined ? sql`` : sql`AND p.created_at >= ${from}`}
    ${to === undefined ? sql`` : sql`AND p.created_at <= ${to}`}`;
}

function ofKind(sql: Sql, { status, method }: Pick<PaymentFilter, 'status' | 'method'>): Fragment {
  return sql`${status?.length ? sql`AND p.status = ANY(${textArray(status)}::text[])` : sql``}
    ${method?.length ? sql`AND p.method = ANY(${textArray(method)}::text[])` : sql``}`;
}

/** A payment of the organization; undefined when there is none. */
export async function readPayment(
  sql: Sql,
  organizationId: number,
  paymentId: number,
): Promise<PaymentDetail | undefined> {
  const query = () => sql<(PaymentRecord & { sequence: number })[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(PAYMENT.list('p'))}
    FROM payments p JOIN organization_heads h ON h.organization_id = p.organization_id
    WHERE p.organization_id = ${organizationId} AND p.id = ${paymentId}`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading a payment');
  if (!row) return undefined;
  const { sequence, ...payment } = row;
  return { payment, sequence };
}

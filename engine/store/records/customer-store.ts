import type { CustomerRecord, DeliverySummary, ListCustomersQuery } from '../../../schema/customers/customer.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { TASK_STATUSES } from '../../../schema/tasks/task.ts';
import type { Sql } from '../postgres.ts';
import { CUSTOMER } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';
import { type CustomerSearch, customerSearchOf } from './customer-search.ts';

export interface CustomerPage {
  readonly items: readonly CustomerRecord[];
  /** Exact number of matching customers, of the same snapshot as the items. */
  readonly count: number;
  /** Sequence of the organization's log at which the page was true. */
  readonly sequence: number;
}

export interface CustomerDetail {
  readonly customer: CustomerRecord;
  readonly deliverySummary: DeliverySummary;
  /** Sequence of the organization's log at which both were true. */
  readonly sequence: number;
}

/** Customers never leave, so the counter has their number; it changes in the same commit. */
const COUNT_OF_ALL = `coalesce((SELECT u.used FROM usage u
  WHERE u.organization_id = $1 AND u.resource = 'customers' AND u.period = date '1970-01-01'), 0)`;

/** A page of customers, newest first. One statement is one snapshot. */
export async function listCustomers(
  sql: Sql,
  organizationId: number,
  { page, limit, search, phone }: ListCustomersQuery,
): Promise<CustomerPage> {
  const wanted = search === undefined ? undefined : customerSearchOf(search);
  const patterns = wanted?.patterns ?? [];
  const bySearch = wanted ? `AND ${matchingCustomers(wanted)}` : '';
  const matching = phone ? `${bySearch} AND c.phone_e164 = $${patterns.length + 4}` : bySearch;
  const count = matching === '' ? COUNT_OF_ALL : countOf(matching);
  const statement = `
    WITH page AS MATERIALIZED (
      SELECT c.id FROM customers c WHERE c.organization_id = $1 ${matching}
      ORDER BY c.created_at DESC, c.id DESC LIMIT $2 OFFSET $3)
    SELECT h.last_sequence AS sequence, ${count} AS count, b.customer
    FROM organization_heads h LEFT JOIN (
      SELECT c.created_at, c.id, ${CUSTOMER.json('c')} AS customer
      FROM page JOIN customers c ON c.organization_id = $1 AND c.id = page.id) b ON true
    WHERE h.organization_id = $1
    ORDER BY b.created_at DESC, b.id DESC`;
  const parameters = [organizationId, limit, (page - 1) * limit, ...patterns, ...(phone ? [phone.e164] : [])];
  // `unsafe` does not prepare: each search is planned for its own pattern, because no plan fits every one.
  const query = () =>
    sql.unsafe<{ sequence: number; count: number; customer: unknown[] | null }[]>(statement, parameters);
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing customers');
  return {
    items: rows.flatMap(({ customer }) => (customer ? CUSTOMER.ofJson(customer) : [])),
    count: rows[0]?.count ?? 0,
    sequence: rows[0]?.sequence ?? 0,
  };
}

/** A page that is not full gives the count by itself, unless it lies behind the last one. */
function countOf(matching: string): string {
  return `CASE WHEN (SELECT count(*) FROM page) BETWEEN CASE WHEN $3 = 0 THEN 0 ELSE 1 END AND $2 - 1
    THEN $3 + (SELECT count(*) FROM page)
    ELSE (SELECT count(*) FROM customers c WHERE c.organization_id = $1 ${matching}) END`;
}

/** The patterns are parameters from $4 on. */
function matchingCustomers({ patterns, hasTrigrams }: CustomerSearch): string {
  // An expression of the column is no longer the column that the index of trigrams is of.
  const text = hasTrigrams ? 'c.search_text' : `(c.search_text || '')`;
  const conditions = patterns.map((_, index) => `${text} LIKE fold_case($${index + 4}) COLLATE "C"`);
  return `(${conditions.join(' OR ')})`;
}

/**
 * A customer with its deliveries; undefined when there is none. It costs an index entry for each task of the customer,
 * and reads no task.
 */
export async function readCustomer(
  sql: Sql,
  organizationId: number,
  customerId: number,
): Promise<CustomerDetail | undefined> {
  const statement = `
    SELECT h.last_sequence AS sequence, ${CUSTOMER.json('c')} AS customer, s.*
    FROM customers c JOIN organization_heads h ON h.organization_id = c.organization_id
    CROSS JOIN (
      SELECT count(*) AS total_tasks, max(t.created_at) AS last_task_at,
        count(*) FILTER (WHERE t.settled_rank = ${TASK_STATUSES.indexOf('completed')}) AS completed_tasks,
        count(*) FILTER (WHERE t.settled_rank = ${TASK_STATUSES.indexOf('cancelled')}) AS cancelled_tasks
      FROM tasks t WHERE t.organization_id = $1 AND t.customer_id = $2) s
    WHERE c.organization_id = $1 AND c.id = $2`;
  // Planned again each time, too: a plan for any customer reads all tasks where a few customers have most of them.
  const query = () =>
    sql.unsafe<(DeliverySummary & { customer: unknown[]; sequence: number })[]>(statement, [
      organizationId,
      customerId,
    ]);
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading a customer');
  if (!row) return undefined;
  const { customer, sequence, ...deliverySummary } = row;
  return { customer: CUSTOMER.ofJson(customer), deliverySummary, sequence };
}

import type { CustomerRecord, DeliverySummary, ListCustomersQuery } from '../../../schema/customers/customer.ts';
import type { ListPart } from '../../../schema/fields/page-query.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { type Listed, type ListPage, listPartText, listPlace, pageOf } from '../list-page.ts';
import { Parameters } from '../parameters.ts';
import type { Sql } from '../postgres.ts';
import { CUSTOMER } from '../rows/record-tables.ts';
import { retried } from '../statements.ts';
import { type CustomerSearch, customerSearchOf } from './customer-search.ts';

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
  { part, search, phone }: ListCustomersQuery,
): Promise<ListPage<CustomerRecord>> {
  const parameters = new Parameters(organizationId);
  const bySearch = search === undefined ? '' : `AND ${matchingCustomers(customerSearchOf(search), parameters)}`;
  const matching = phone ? `${bySearch} AND c.phone_e164 = ${parameters.add(phone.e164, 'text')}` : bySearch;
  const statement = `
    WITH page AS MATERIALIZED (
      SELECT c.id FROM customers c WHERE c.organization_id = $1 ${matching} ${listPartText(part, 'c', parameters)})
    SELECT h.last_sequence AS sequence, ${matching === '' ? COUNT_OF_ALL : countOf(matching, part)} AS count, b.customer,
      ${listPlace()}
    FROM organization_heads h LEFT JOIN (
      SELECT c.created_at, c.id, ${CUSTOMER.json('c')} AS customer
      FROM page JOIN customers c ON c.organization_id = $1 AND c.id = page.id) b ON true
    WHERE h.organization_id = $1
    ORDER BY b.created_at DESC, b.id DESC`;
  // `unsafe` does not prepare: each search is planned for its own pattern, because no plan fits every one.
  const query = () => sql.unsafe<Listed<{ customer: unknown[] }>[]>(statement, parameters.values);
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing customers');
  return pageOf(rows, part, ({ customer }) => CUSTOMER.ofJson(customer));
}

/** A page that is not full gives the count by itself, unless it lies behind the last one or behind a cursor. */
function countOf(matching: string, { limit, skip, after }: ListPart): string {
  const counted = `(SELECT count(*) FROM customers c WHERE c.organization_id = $1 ${matching})`;
  if (after) return counted;
  return `CASE WHEN (SELECT count(*) FROM page) BETWEEN ${skip === 0 ? 0 : 1} AND ${limit}
    THEN ${skip} + (SELECT count(*) FROM page) ELSE ${counted} END`;
}

function matchingCustomers({ patterns, hasTrigrams }: CustomerSearch, parameters: Parameters): string {
  // An expression of the column is no longer the column that the index of trigrams is of.
  const text = hasTrigrams ? 'c.search_text' : `(c.search_text || '')`;
  const conditions = patterns.map(
    (pattern) => `${text} LIKE fold_case(${parameters.add(pattern, 'text')}) COLLATE "C"`,
  );
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

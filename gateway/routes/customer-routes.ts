import type { Engine } from '../../engine/org/start-engine.ts';
import {
  readCustomer as readCustomerDetail,
  listCustomers as readCustomerPage,
} from '../../engine/store/records/customer-store.ts';
import { encodeCustomer, encodeCustomerDetail } from '../../engine/views/customer-view.ts';
import { matchesEtag } from '../../engine/views/parts/etag.ts';
import {
  createCustomerInput,
  customerDetailView,
  customerListView,
  customerView,
  listCustomersQuery,
  updateCustomerInput,
} from '../../schema/customers/customer.ts';
import { notFound } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import { pageAnswer } from '../page-answer.ts';
import type { Reads } from '../reads.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** The routes of customers. Source: docs/contract.md §3 "Customers". */
export function customerRoutes(engine: Engine, reads: Reads): ApiRoute[] {
  return [
    createCustomer(engine),
    listCustomers(engine, reads),
    readCustomer(engine, reads),
    updateCustomer(engine, reads),
  ];
}

function createCustomer(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/customers',
    guard: may('customers'),
    body: { schema: createCustomerInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Create a customer',
    success: { status: 201, data: customerView },
    refusals: ['403 PACKAGE_LIMIT_EXCEEDED', '409 CUSTOMER_PHONE_TAKEN', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, body: input, idempotency }) {
      const answer = await engine.ask(organizationId, { kind: 'create-customer', caller, input, idempotency });
      return engineAnswer(engine, answer, 'Customer created');
    },
  });
}

function listCustomers(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/customers',
    guard: may('customers'),
    query: { schema: listCustomersQuery, lists: new Set() },
    summary:
      'List customers, newest first; `search` finds parts of names, e-mail addresses and phone numbers, `phone` a whole number',
    success: { status: 200, data: customerListView },
    refusals: [],
    async handle({ identity: { organizationId }, query }) {
      const page = await reads.run(organizationId, (sql) => readCustomerPage(sql, organizationId, query));
      return pageAnswer(engine.history, 'Customers', page, encodeCustomer);
    },
  });
}

function readCustomer(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/customers/:id',
    guard: may('customers'),
    etag: true,
    summary: 'Read a customer with a summary of its deliveries',
    success: { status: 200, data: customerDetailView },
    refusals: ['404'],
    async handle({ identity: { organizationId }, params }) {
      const customerId = params.id;
      const found = await reads.run(organizationId, (sql) => readCustomerDetail(sql, organizationId, customerId));
      if (!found) return { refusal: notFound('Customer', customerId) };
      const data = encodeCustomerDetail(found.customer, found.deliverySummary);
      return { status: 200, message: 'Customer', data, position: formatPosition(engine.history, found.sequence) };
    },
  });
}

/** Send no ETag: the data lacks the summary that the tag of a read covers. */
function updateCustomer(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'PATCH',
    path: '/customers/:id',
    guard: may('customers'),
    body: { schema: updateCustomerInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Change a customer: only the fields that are sent; If-Match takes the ETag of a read',
    success: { status: 200, data: customerView },
    refusals: ['404', '409 CUSTOMER_PHONE_TAKEN', '412 PRECONDITION_FAILED', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency, ifMatch }) {
      const customerId = params.id;
      const expectedVersion = ifMatch && (await versionMatching(reads, organizationId, customerId, ifMatch));
      const command = { kind: 'update-customer', caller, customerId, input, expectedVersion, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Customer updated');
    },
  });
}

/**
 * A version that no customer has. The engine still gets the command, because a retry must get the answer stored under
 * its key.
 */
const NO_VERSION = 0;

/**
 * Returns the version that the entity tags name, read from the customer's current state; undefined when any version
 * matches.
 */
async function versionMatching(
  reads: Reads,
  organizationId: number,
  customerId: number,
  tags: readonly string[],
): Promise<number | undefined> {
  if (tags.includes('*')) return undefined;
  const found = await reads.run(organizationId, (sql) => readCustomerDetail(sql, organizationId, customerId));
  if (!found || !matchesEtag(tags, encodeCustomerDetail(found.customer, found.deliverySummary))) return NO_VERSION;
  return found.customer.version;
}

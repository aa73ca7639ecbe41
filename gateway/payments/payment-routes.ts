import type { Engine } from '../../engine/org/start-engine.ts';
import {
  readPayment as readPaymentDetail,
  listPayments as readPaymentPage,
} from '../../engine/store/payments/payment-store.ts';
import { listRecordAudit } from '../../engine/store/records/audit-store.ts';
import { encodePayment } from '../../engine/views/money/payment-view.ts';
import { auditListView, recordAuditQuery } from '../../schema/accounts/audit.ts';
import type { Permission } from '../../schema/accounts/permissions.ts';
import { notFound } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import {
  listPaymentsQuery,
  type ProviderName,
  paymentListView,
  paymentView,
  payTaskInput,
  refundPaymentInput,
} from '../../schema/money/payment.ts';
import { pageAnswer } from '../page-answer.ts';
import type { Reads } from '../reads.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** Payments of tasks; `provider` carries out those that are online. Source: docs/contract.md §7. */
export function paymentRoutes(engine: Engine, reads: Reads, provider: ProviderName): ApiRoute[] {
  const routes = [
    ...waysToPay(provider).map((way) => payTask(engine, way)),
    listPayments(engine, reads),
    readPayment(engine, reads),
    refundPayment(engine),
    listPaymentAudit(engine, reads),
  ];
  return routes.map((route) => ({ ...route, bare: true }));
}

interface WayToPay {
  readonly how: { readonly method: 'cash' | 'wallet' } | { readonly method: 'online'; readonly provider: ProviderName };
  readonly path: string;
  readonly permission: Permission;
  readonly summary: string;
  /** Besides those of all methods. */
  readonly refusals: readonly string[];
  readonly message: string;
}

/** Their differences; the rest of them is the same. */
function waysToPay(provider: ProviderName): readonly WayToPay[] {
  return [
    {
      how: { method: 'online', provider },
      path: '/payments/initialize',
      permission: 'payments:make',
      summary: 'Have the customer pay online, behind `checkoutUrl`; `pending` until the provider reports the outcome',
      refusals: ['409 PAYMENT_PENDING'],
      message: 'Payment initialized',
    },
    {
      how: { method: 'cash' },
      path: '/payments/cash',
      permission: 'payments:cash',
      summary: "Note that a task was paid in cash: its agent's or courier's to hand over, or the office's without one",
      refusals: [],
      message: 'Cash payment taken',
    },
    {
      how: { method: 'wallet' },
      path: '/payments/wallet',
      permission: 'payments:make',
      summary: "Pay a task from its customer's wallet",
      refusals: ['409 CUSTOMER_REQUIRED', '409 INSUFFICIENT_FUNDS'],
      message: 'Wallet payment made',
    },
  ];
}

function payTask(engine: Engine, { how, path, permission, summary, refusals, message }: WayToPay): ApiRoute {
  return apiRoute({
    method: 'POST',
    path,
    guard: may(permission),
    body: { schema: payTaskInput, maxBytes: LIMITS.bodyBytes },
    summary,
    success: { status: 201, data: paymentView },
    refusals: [
      '404',
      '409 TASK_NOT_PAYABLE',
      '409 TASK_ALREADY_PAID',
      '409 PAYMENT_AMOUNT_MISMATCH',
      ...refusals,
      '422 IDEMPOTENCY_KEY_REUSED',
    ],
    async handle({ identity: { organizationId, caller }, body, idempotency }) {
      const command = { kind: 'pay-task', caller, input: body, idempotency, ...how } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), message);
    },
  });
}

function listPayments(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/payments',
    guard: may('payments:read'),
    query: { schema: listPaymentsQuery, lists: new Set(['status', 'method', 'agentId']) },
    summary: 'List payments, newest first; `agentId` is who took the cash',
    success: { status: 200, data: paymentListView },
    refusals: [],
    async handle({ identity: { organizationId }, query }) {
      const page = await reads.run(organizationId, (sql) => readPaymentPage(sql, organizationId, query));
      return pageAnswer(engine.history, 'Payments', page, encodePayment);
    },
  });
}

function readPayment(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/payments/:id',
    guard: may('payments:read'),
    etag: true,
    summary: 'Read a payment',
    success: { status: 200, data: paymentView },
    refusals: ['404'],
    async handle({ identity: { organizationId }, params }) {
      const paymentId = params.id;
      const found = await reads.run(organizationId, (sql) => readPaymentDetail(sql, organizationId, paymentId));
      if (!found) return { refusal: notFound('Payment', paymentId) };
      const position = formatPosition(engine.history, found.sequence);
      return { status: 200, message: 'Payment', data: encodePayment(found.payment), position };
    },
  });
}

function refundPayment(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/payments/:id/refund',
    guard: may('payments:refund'),
    body: { schema: refundPaymentInput, maxBytes: LIMITS.bodyBytes },
    summary:
      'Give all of a payment back: cash and wallets at once; online the refund is `pending` until the provider has made it',
    success: { status: 200, data: paymentView },
    refusals: ['404', '409 PAYMENT_NOT_REFUNDABLE', '409 PAYMENT_ALREADY_REFUNDED', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const command = { kind: 'refund-payment', caller, paymentId: params.id, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Payment refunded');
    },
  });
}

function listPaymentAudit(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/payments/:id/audit-logs',
    guard: may('payments:read'),
    query: { schema: recordAuditQuery, lists: new Set() },
    summary: 'List the changes of a payment, newest first, as GET /audit-logs does',
    success: { status: 200, data: auditListView },
    refusals: ['404'],
    async handle({ identity: { organizationId }, params, query }) {
      const paymentId = params.id;
      const found = await reads.run(organizationId, (sql) =>
        listRecordAudit(sql, organizationId, 'payment', paymentId, query),
      );
      if (!found) return { refusal: notFound('Payment', paymentId) };
      const { items, count, sequence } = found;
      const data = JSON.stringify({ items, count });
      return { status: 200, message: 'Audit log', data, position: formatPosition(engine.history, sequence) };
    },
  });
}

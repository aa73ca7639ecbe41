import type { Engine } from '../../engine/org/start-engine.ts';
import { listStatement, readBalances } from '../../engine/store/payments/ledger-store.ts';
import { encodeStatement, encodeWallet } from '../../engine/views/money/ledger-view.ts';
import { notFound } from '../../schema/errors.ts';
import { formatPosition } from '../../schema/events.ts';
import { LIMITS } from '../../schema/limits.ts';
import { statementQuery, statementView, topUpInput, topUpView, walletView } from '../../schema/money/ledger.ts';
import type { Reads } from '../reads.ts';
import { engineAnswer } from '../request/engine-answer.ts';
import { type ApiRoute, apiRoute, may } from '../route.ts';

/** The money that customers have paid in to pay with later. Source: docs/contract.md §7. */
export function walletRoutes(engine: Engine, reads: Reads): ApiRoute[] {
  return [readWallet(engine, reads), readStatement(engine, reads), topUpWallet(engine)];
}

function readWallet(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/wallets/:customerId',
    guard: may('payments:read'),
    etag: true,
    summary: "Read what a customer's wallet has, in the organization's currency and in every other that it was used in",
    success: { status: 200, data: walletView },
    refusals: ['404'],
    async handle({ identity: { organizationId }, params }) {
      const customerId = params.customerId;
      const found = await reads.run(organizationId, (sql) => readBalances(sql, organizationId, 'wallet', customerId));
      if (!found) return { refusal: notFound('Customer', customerId) };
      const position = formatPosition(engine.history, found.sequence);
      return { status: 200, message: 'Wallet', data: encodeWallet(customerId, found), position };
    },
  });
}

function readStatement(engine: Engine, reads: Reads): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: '/wallets/:customerId/statement',
    guard: may('payments:read'),
    query: { schema: statementQuery, lists: new Set() },
    summary: 'List what came into a wallet and went out of it, newest first, each with the balance after it',
    success: { status: 200, data: statementView },
    refusals: ['404'],
    async handle({ identity: { organizationId }, params, query }) {
      const customerId = params.customerId;
      const found = await reads.run(organizationId, (sql) => listStatement(sql, organizationId, customerId, query));
      if (!found) return { refusal: notFound('Customer', customerId) };
      const data = encodeStatement(customerId, found.items, found.count);
      return { status: 200, message: 'Statement', data, position: formatPosition(engine.history, found.sequence) };
    },
  });
}

function topUpWallet(engine: Engine): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: '/wallets/:customerId/top-ups',
    guard: may('wallets:top-up'),
    body: { schema: topUpInput, maxBytes: LIMITS.bodyBytes },
    summary: 'Note that a customer has paid something in, outside of this system',
    success: { status: 201, data: topUpView },
    refusals: ['404', '422 IDEMPOTENCY_KEY_REUSED'],
    async handle({ identity: { organizationId, caller }, params, body: input, idempotency }) {
      const customerId = params.customerId;
      const command = { kind: 'top-up-wallet', caller, customerId, input, idempotency } as const;
      return engineAnswer(engine, await engine.ask(organizationId, command), 'Wallet topped up');
    },
  });
}

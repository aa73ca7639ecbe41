import assert from 'node:assert/strict';
import type { PaymentView } from '../../../schema/money/payment.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import { type OrganizationSeed, type SeededOrganization, withSql } from '../../support/seeds/seed.ts';
import type { ApiFixture } from '../api-fixture.ts';

export interface PaymentList {
  readonly items: PaymentView[];
  readonly count: number;
}

export interface WalletView {
  readonly customerId: number;
  readonly balance: string;
  readonly currency: string;
  readonly balances: readonly { readonly balance: string; readonly currency: string }[];
}

export type Pay = (body: object, headers?: Record<string, string>) => Promise<ApiReply<PaymentView>>;

/** An organization whose tasks are paid; `api` is a dispatcher's, who may do all with money. */
export interface PaymentPlace extends SeededOrganization {
  readonly api: ApiClient;
  readonly online: Pay;
  readonly cash: Pay;
  readonly wallet: Pay;
  refund(paymentId: number, headers?: Record<string, string>): Promise<ApiReply<PaymentView>>;
  /** Puts it into the wallet of a customer. */
  topUp(customerId: number | null, amount: string, currency?: string): Promise<void>;
  /** The customer's balance, in the organization's currency. */
  balanceOf(customerId: number | null): Promise<string>;
}

export async function paymentPlace(fixture: ApiFixture, seed: OrganizationSeed = {}): Promise<PaymentPlace> {
  const place = await fixture.organization({ role: 'dispatcher', ...seed });
  const { api } = place;
  const pay =
    (method: string): Pay =>
    (body, headers) =>
      api.post<PaymentView>(`/payments/${method}`, body, headers);
  return {
    ...place,
    online: pay('initialize'),
    cash: pay('cash'),
    wallet: pay('wallet'),
    refund: (paymentId, headers) =>
      api.post<PaymentView>(`/payments/${paymentId}/refund`, { reason: 'came back' }, headers),
    async topUp(customerId, amount, currency) {
      const reply = await api.post(`/wallets/${customerId}/top-ups`, { amount, currency });
      assert.equal(reply.status, 201, reply.text);
    },
    async balanceOf(customerId) {
      return (await api.get<WalletView>(`/wallets/${customerId}`)).body.data.balance;
    },
  };
}

export function codeOf({ status, body }: ApiReply<unknown>): readonly [number, string] {
  return [status, body.code];
}

/** The payment that was made. */
export function madeBy(reply: ApiReply<PaymentView>): PaymentView {
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

export async function readTask({ api }: Pick<PaymentPlace, 'api'>, { id }: Pick<TaskView, 'id'>): Promise<TaskView> {
  return (await api.get(`/tasks/${id}`)).body.data;
}

interface LedgerRow {
  readonly kind: string;
  readonly account: string;
  readonly ownerId: number;
  readonly currency: string;
  readonly amountMinor: number;
}

/** Every entry of the organization's ledger, after a look that it balances and that its accounts say what it says. */
export async function readLedger(fixture: ApiFixture, organizationId: number): Promise<readonly LedgerRow[]> {
  return withSql(fixture.gateway.databaseUrl, async (sql) => {
    const rows = await sql<(LedgerRow & { transferId: number })[]>`
      SELECT t.kind, e.account, e.owner_id, e.currency, e.amount_minor, e.transfer_id FROM ledger_entries e
      JOIN ledger_transfers t ON t.organization_id = e.organization_id AND t.id = e.transfer_id
      WHERE e.organization_id = ${organizationId} ORDER BY t.at, e.transfer_id, e.line`;
    const wrong = await sql`
      SELECT account, owner_id, currency FROM (
        SELECT account, owner_id, currency, balance_minor, entries FROM ledger_accounts
        WHERE organization_id = ${organizationId}
        UNION ALL
        SELECT account, owner_id, currency, -sum(amount_minor), -count(*) FROM ledger_entries
        WHERE organization_id = ${organizationId} GROUP BY 1, 2, 3) s
      GROUP BY 1, 2, 3 HAVING sum(balance_minor) <> 0 OR sum(entries) <> 0`;
    assert.deepEqual([...wrong], [], 'accounts say what their entries say');
    const unbalanced = await sql`
      SELECT transfer_id FROM ledger_entries WHERE organization_id = ${organizationId}
      GROUP BY transfer_id HAVING sum(amount_minor) <> 0 OR count(*) <> 2`;
    assert.deepEqual([...unbalanced], [], 'each transfer balances');
    return rows.map(({ transferId: _, ...row }) => row);
  });
}

import { LIMITS } from '../../../schema/limits.ts';

import type { Sql } from '../postgres.ts';
import { once, retried } from '../statements.ts';

/** The identity of a checkout of the test provider; a client that knows its secret may pay it. */
export interface TestCheckoutKey {
  readonly organizationId: number;
  readonly paymentId: number;
  readonly secret: string;
}

/** The checkout at the time of the request: one whose time is over is `expired`, even before its row says so. */
export interface TestCheckout extends TestCheckoutKey {
  readonly amountMinor: number;
  readonly currency: string;
  readonly description: string;
  readonly returnUrl: string;
  readonly status: 'open' | 'paid' | 'declined' | 'expired';
  readonly refundAttempt: number | null;
}

export type NewTestCheckout = Omit<TestCheckout, 'status' | 'refundAttempt'>;

export interface TestCheckoutStore {
  /** The checkout of a payment: the one that was made first, with its own secret. */
  make(checkout: NewTestCheckout): Promise<TestCheckout>;
  find(key: TestCheckoutKey): Promise<TestCheckout | undefined>;
  /** Ends an open checkout. Returns it as it is then, however it has ended. */
  end(key: TestCheckoutKey, status: 'paid' | 'declined' | 'expired'): Promise<TestCheckout | undefined>;
  /** Refunds a paid checkout. Returns it as it is then. */
  refund(key: TestCheckoutKey, attempt: number): Promise<TestCheckout | undefined>;
  /** The secret that signs callbacks, the same in all processes. */
  readSecret(): Promise<string>;
}

const COLUMNS = `organization_id, payment_id, secret, amount_minor, currency, description, return_url, refund_attempt,
  CASE WHEN status = 'open' AND expires_at <= now() THEN 'expired' ELSE status END AS status`;

export function createTestCheckoutStore(sql: Sql): TestCheckoutStore {
  const columns = sql.unsafe(COLUMNS);

  async function find({ organizationId, paymentId, secret }: TestCheckoutKey): Promise<TestCheckout | undefined> {
    const query = () => sql<TestCheckout[]>`
      SELECT ${columns} FROM test_checkouts
      WHERE organization_id = ${organizationId} AND payment_id = ${paymentId} AND secret = ${secret}`;
    const [checkout] = await retried(query, LIMITS.fetchDeadlineMs, 'looking for a checkout');
    return checkout;
  }

  return {
    find,
    async make({ organizationId, paymentId, secret, amountMinor, currency, description, returnUrl }) {
      const made = sql<TestCheckout[]>`
        INSERT INTO test_checkouts (organization_id, payment_id, secret, amount_minor, currency, description, return_url,
          status, expires_at)
        VALUES (${organizationId}, ${paymentId}, ${secret}, ${amountMinor}, ${currency}, ${description}, ${returnUrl},
          'open', now() + ${LIMITS.testCheckoutMs} * interval '1 ms')
        ON CONFLICT (organization_id, payment_id) DO UPDATE SET secret = test_checkouts.secret
        RETURNING ${columns}`;
      const [checkout] = await once(made, 'making a checkout', LIMITS.fetchDeadlineMs);
      return checkout!;
    },
    async end(key, status) {
      await once(
        sql`
        UPDATE test_checkouts SET status = ${status}
        WHERE organization_id = ${key.organizationId} AND payment_id = ${key.paymentId} AND secret = ${key.secret}
          AND status = 'open' AND (expires_at > now() OR ${status} = 'expired')`,
        'ending a checkout',
        LIMITS.fetchDeadlineMs,
      );
      return find(key);
    },
    async refund(key, attempt) {
      await once(
        sql`
        UPDATE test_checkouts SET refund_attempt = ${attempt}
        WHERE organization_id = ${key.organizationId} AND payment_id = ${key.paymentId} AND secret = ${key.secret}
          AND status = 'paid' AND refund_attempt IS NULL`,
        'paying a checkout back',
        LIMITS.fetchDeadlineMs,
      );
      return find(key);
    },
    async readSecret() {
      const query = () => sql<{ secret: string }[]>`SELECT secret FROM test_provider_secret`;
      const [row] = await retried(query, LIMITS.fetchDeadlineMs, 'reading the secret of callbacks');
      return row!.secret;
    },
  };
}

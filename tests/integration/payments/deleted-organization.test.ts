import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readConfig } from '../../../engine/runtime/config.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { openPayments } from '../../../gateway/payments/open-payments.ts';
import type { Caller } from '../../../schema/commands.ts';
import { refusal } from '../../../schema/errors.ts';
import { useDatabase } from '../../support/system/use-database.ts';
import { SECRET_KEY, stripeEvent, WEBHOOK_SECRET } from './stripe-server.ts';

const { url } = useDatabase();
const releaser = createReleaser(() => {});
after(() => releaser.stop());

test('money that is paid for a deleted organization is accepted, and logged', async () => {
  const warned: unknown[] = [];
  const log = Object.assign(createLog('test', 'silent'), { warn: (news: unknown) => void warned.push(news) });
  const config = readConfig({
    DATABASE_URL: url,
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  });
  const deleted = { ok: false, refusal: refusal('ORGANIZATION_DELETED') } as const;
  const payments = await openPayments({ config, log, releaser, port: () => 0 }, { ask: async () => deleted });
  const { body, headers } = stripeEvent('checkout.session.completed', {
    ...{ id: 'cs_1', status: 'complete', payment_status: 'paid', amount_total: 1_250, currency: 'eur' },
    metadata: { organizationId: '7', paymentId: '12' },
  });
  const callback = { body, header: (name: string) => (headers as Readonly<Record<string, string>>)[name] };
  const caller: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };
  assert.equal(await payments.takeCallback('stripe', callback, caller), 'taken');
  const report = { kind: 'paid', providerReference: 'cs_1', amountMinor: 1_250, currency: 'EUR' };
  assert.deepEqual(warned, [{ organizationId: 7, paymentId: 12, report }]);
});

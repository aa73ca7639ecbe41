import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentProvider, ProviderNews } from '../../../engine/providers/payment-provider.ts';
import { warnOfRefund } from '../../../engine/providers/warn-of-refund.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { ProviderReport } from '../../../schema/money/payment.ts';
import { tellMissedCallbacks } from '../../../workers/payments/report-to-owner.ts';

const newsOf = (report: ProviderReport): ProviderNews => ({ organizationId: 7, paymentId: 3, report });
const PART = newsOf({ kind: 'given-back', refundReference: 're_1', amountMinor: 500, isWhole: false });
const BOUNCED = newsOf({ kind: 'give-back-failed', refundReference: 're_1', reason: 'lost_or_stolen_card' });
const PAID = newsOf({ kind: 'paid', providerReference: 'cs', amountMinor: 1, currency: 'USD' });
const ALL = [PART, BOUNCED, PAID];

function watchedLog() {
  const warned: unknown[] = [];
  const log = Object.assign(createLog('test', 'silent'), { warn: (news: unknown) => void warned.push(news) });
  return { log, warned };
}

test('the log warns of a refund in the dashboard of a provider, and of one that was not paid out', () => {
  const { log, warned } = watchedLog();
  for (const news of ALL) warnOfRefund(log, news);
  assert.deepEqual(warned, [PART, BOUNCED]);
});

test('the log warns of them from missed callbacks, too', async () => {
  const { log, warned } = watchedLog();
  const readMissed: PaymentProvider['readMissed'] = async (tell) => {
    for (const news of ALL) await tell(news);
  };
  const ask = async () => ({ ok: true, status: 200, data: 'null', sequence: 1 }) as const;
  await tellMissedCallbacks({ stripe: { readMissed } as unknown as PaymentProvider }, ask, log);
  assert.deepEqual(warned, [PART, BOUNCED]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentProvider, ProviderNews } from '../../../engine/providers/payment-provider.ts';
import { warnOfReport } from '../../../engine/providers/warn-of-report.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import type { Answer } from '../../../schema/commands.ts';
import { type ErrorCode, refusal } from '../../../schema/errors.ts';
import { type ProviderReport, UNKNOWN_PAYMENT } from '../../../schema/money/payment.ts';
import { type AskOwner, tellMissedCallbacks } from '../../../workers/payments/report-to-owner.ts';

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

const TAKEN: Answer = { ok: true, status: 200, data: '{}', sequence: 1 };
const refused = (code: ErrorCode): Answer => ({ ok: false, refusal: refusal(code) });

test('the log warns of a refund in the dashboard of a provider, and of one that was not paid out', () => {
  const { log, warned } = watchedLog();
  for (const news of ALL) warnOfReport(log, news, TAKEN);
  assert.deepEqual(warned, [PART, BOUNCED]);
});

for (const [answer, what, isWarned] of [
  [{ ...TAKEN, data: UNKNOWN_PAYMENT }, 'another payment had the same id', false],
  [refused('NOT_FOUND'), 'the organization is none of ours', false],
  [refused('UNAVAILABLE'), 'its owner is away, so that the report comes again', false],
  [refused('VALIDATION_FAILED'), 'the accounts cannot hold the money', true],
] as const)
  test(`the log ${isWarned ? 'warns' : 'does not warn'} of a refund where ${what}`, () => {
    const { log, warned } = watchedLog();
    warnOfReport(log, PART, answer);
    assert.deepEqual(warned, isWarned ? [PART] : []);
  });

test('the log warns of money that comes for a deleted organization, and of a refund of it that was not paid out', () => {
  const { log, warned } = watchedLog();
  const lost = newsOf({ kind: 'refund-failed', attempt: 1, refundReference: 're_2', reason: 'closed' });
  const back = newsOf({ kind: 'refunded', attempt: 1, refundReference: 're_2' });
  const over = newsOf({ kind: 'not-paid', providerReference: 'cs', reason: 'expired' });
  for (const news of [...ALL, lost, back, over]) warnOfReport(log, news, refused('ORGANIZATION_DELETED'));
  assert.deepEqual(warned, [BOUNCED, PAID, lost]);
});

test('the log warns of them from missed callbacks, too, but not of those that are not ours', async () => {
  const { log, warned } = watchedLog();
  const readMissed: PaymentProvider['readMissed'] = async (tell) => {
    for (const news of [...ALL, { ...PART, mark: 'of another' }]) await tell(news);
  };
  const ask: AskOwner = async (_organizationId, command) =>
    'mark' in command ? { ...TAKEN, data: UNKNOWN_PAYMENT } : TAKEN;
  await tellMissedCallbacks({ stripe: { readMissed } as unknown as PaymentProvider }, ask, log);
  assert.deepEqual(warned, [PART, BOUNCED]);
});

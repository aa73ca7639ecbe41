import type { PaymentProvider } from '../../engine/providers/payment-provider.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { ProviderName } from '../../schema/money/payment.ts';
import { type AskOwner, reportToOwner } from './report-to-owner.ts';

/** Tells owners what callbacks were to tell that never came, as far as providers keep them. Rejects when some remain. */
export async function tellMissedCallbacks(
  providers: Readonly<Partial<Record<ProviderName, PaymentProvider>>>,
  ask: AskOwner,
  log: Log,
): Promise<void> {
  for (const provider of Object.values(providers)) {
    await provider.readMissed?.(async ({ organizationId, paymentId, report }) => {
      await reportToOwner(ask, organizationId, paymentId, report);
      log.info({ organizationId, paymentId, report: report.kind }, 'told what a callback has not');
    });
  }
}

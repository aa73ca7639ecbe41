import type { PaymentProvider, ProviderNews } from '../../engine/providers/payment-provider.ts';
import { warnOfReport } from '../../engine/providers/warn-of-report.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { Answer } from '../../schema/commands.ts';
import type { ErrorCode } from '../../schema/errors.ts';
import type { ProviderName } from '../../schema/money/payment.ts';
import type { OwnerCommand } from '../../schema/owner-command.ts';

export type AskOwner = (organizationId: number, command: OwnerCommand) => Promise<Answer>;

/** The owner's answer about a payment that is gone: no step is left. */
const GONE: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'ORGANIZATION_DELETED']);

/** Tells the owner of a payment what its provider says of it. Rejects unless it has taken that; else its answer. */
export async function reportToOwner(ask: AskOwner, { organizationId, ...news }: ProviderNews): Promise<Answer> {
  const answer = await ask(organizationId, { kind: 'settle-payment', ...news });
  if (!answer.ok && !GONE.has(answer.refusal.code))
    throw new Error(`the owner of ${organizationId} has not taken a report: ${answer.refusal.code}`);
  return answer;
}

/** Tells owners what callbacks were to tell that never came, as far as providers keep them. Rejects when some remain. */
export async function tellMissedCallbacks(
  providers: Readonly<Partial<Record<ProviderName, PaymentProvider>>>,
  ask: AskOwner,
  log: Log,
): Promise<void> {
  for (const provider of Object.values(providers)) {
    await provider.readMissed?.(async (news) => {
      const { organizationId, paymentId, report } = news;
      warnOfReport(log, news, await reportToOwner(ask, news));
      log.info({ organizationId, paymentId, report: report.kind }, 'told what a callback has not');
    });
  }
}

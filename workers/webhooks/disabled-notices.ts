import type { Log } from '../../engine/runtime/log.ts';
import type { DisabledEndpoint, FollowerStore } from '../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { DisabledReason } from '../../schema/notices/webhook.ts';
import { isRefusedForGood, type MailText, NoAnswerError, type SendMail } from '../notifications/mail-transport.ts';
import { faultOf } from '../notifications/mailer.ts';

const WHY: Readonly<Record<DisabledReason, string>> = {
  gone: 'it has answered 410 Gone',
  failing: 'for five days nothing that was sent to it has arrived',
};

/**
 * Mails an organization's administrators about each disabled webhook; an administrator that cannot be mailed now gets
 * the mail later.
 */
export function createNoticeProcessor(
  followers: Pick<FollowerStore, 'findUntold' | 'claimNotice' | 'releaseNotice' | 'noteTold'>,
  send: SendMail,
  log: Log,
) {
  return async (): Promise<void> => {
    for (const disabled of await followers.findUntold(LIMITS.webhookNoticesPerRun)) {
      const { organizationId, webhookId, reason, admins } = disabled;
      // The next run begins while this one is at it, perhaps in another process.
      if (!(await followers.claimNotice(disabled, LIMITS.mailLeaseMs * Math.max(1, admins.length)))) continue;
      const failures = await tellAll(disabled, send);
      for (const error of failures)
        log.warn(
          { fault: faultOf(error), organizationId, webhookId },
          'no mail could be requested about a disabled webhook',
        );
      // Administrators with a mail get no second one for the sake of the others; without any mail, every one gets it
      // later.
      if (failures.length > 0 && failures.length === admins.length && !failures.every(isRefusedForGood)) {
        await followers.releaseNotice(disabled);
        continue;
      }
      await followers.noteTold(disabled);
      log.warn({ organizationId, webhookId, reason, told: admins.length - failures.length }, 'a webhook was disabled');
    }
  };
}

/** The reasons of the failed mails. */
async function tellAll(disabled: DisabledEndpoint, send: SendMail): Promise<unknown[]> {
  const failures: unknown[] = [];
  const { organizationId, admins } = disabled;
  for (const to of admins) {
    try {
      await send({ organizationId, purpose: 'webhook_disabled', to, ...noticeText(disabled) });
    } catch (error) {
      // One that may have arrived is not repeated.
      if (!(error instanceof NoAnswerError)) failures.push(error);
    }
  }
  return failures;
}

/** ASCII in short lines, which no transport encodes; the address has a line of its own. */
function noticeText({ webhookId, url, reason }: DisabledEndpoint): MailText {
  const text = [
    `Webhook ${webhookId} was disabled: ${WHY[reason]}.`,
    '',
    url,
    '',
    'No event is sent to it until it is switched on again:',
    '',
    `PATCH /api/v1/webhooks/${webhookId} with {"isActive": true}`,
    '',
    'It then receives the events from that moment on. Missed events can be',
    `had from POST /api/v1/webhooks/${webhookId}/replay or GET /api/v1/events.`,
    '',
  ].join('\n');
  return { subject: `Webhook ${webhookId} was disabled`, text };
}

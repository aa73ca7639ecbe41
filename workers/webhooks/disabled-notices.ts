import type { Log } from '../../engine/runtime/log.ts';
import type { DisabledEndpoint, FollowerStore } from '../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { DisabledReason } from '../../schema/notices/webhook.ts';
import type { MailText } from '../notifications/mail-text.ts';
import { isRefusedForGood, type SendMail } from '../notifications/mail-transport.ts';

const WHY: Readonly<Record<DisabledReason, string>> = {
  gone: 'it has answered 410 Gone',
  failing: 'for five days nothing that was sent to it has arrived',
};

/** Tells an organization's administrators by mail of each webhook that was disabled; whoever cannot be told now, later. */
export function createNoticeProcessor(
  followers: Pick<FollowerStore, 'findUntold' | 'noteTold'>,
  send: SendMail,
  log: Log,
) {
  return async (): Promise<void> => {
    for (const disabled of await followers.findUntold(LIMITS.webhookNoticesPerRun)) {
      const { organizationId, webhookId, reason, admins } = disabled;
      const failures = await tellAll(disabled, send);
      for (const error of failures)
        log.warn({ err: error, organizationId, webhookId }, 'an administrator was not told of a disabled webhook');
      // Who was told is not told again for the sake of the others; if nobody was, all are told later.
      if (failures.length > 0 && failures.length === admins.length && !failures.every(isRefusedForGood)) continue;
      await followers.noteTold({ organizationId, webhookId });
      log.warn({ organizationId, webhookId, reason, told: admins.length - failures.length }, 'a webhook was disabled');
    }
  };
}

/** Why those could not be told who could not. */
async function tellAll(disabled: DisabledEndpoint, send: SendMail): Promise<unknown[]> {
  const failures: unknown[] = [];
  const { organizationId, admins } = disabled;
  for (const to of admins) {
    try {
      await send({ organizationId, purpose: 'webhook_disabled', to, ...noticeText(disabled) });
    } catch (error) {
      failures.push(error);
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
    'Nothing is sent to it until it is switched on again:',
    '',
    `PATCH /api/v1/webhooks/${webhookId} with {"isActive": true}`,
    '',
    'It then begins with what happens from that moment on. What it missed can be',
    `had from POST /api/v1/webhooks/${webhookId}/replay or GET /api/v1/events.`,
    '',
  ].join('\n');
  return { subject: `Webhook ${webhookId} was disabled`, text };
}

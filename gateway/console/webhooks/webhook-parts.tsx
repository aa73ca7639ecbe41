import type { WebhookView } from '../../../schema/notices/webhook.ts';
import { timeOf } from '../page/format.ts';
import { Copied } from '../records/record-parts.tsx';
import { webhooksText as words } from '../text/english-webhooks.ts';
import { Dialog } from '../ui/dialog.tsx';

/** How it fares, by words: late is the only red, and a webhook that was given up is late for good. */
export function WebhookState({ webhook }: { readonly webhook: WebhookView }) {
  const { status, failingSince } = webhook;
  if (status === 'disabled') return <span class="late-text">{words.statuses.disabled}</span>;
  if (status === 'active' && failingSince !== null)
    return <span class="wait-text">{words.failingSince(timeOf(Date.parse(failingSince)))}</span>;
  return <span class="soft">{words.statuses[status]}</span>;
}

export function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog title={words.secretTitle} onClose={onClose}>
      <p class="soft">{words.secretHint}</p>
      <Copied label={words.secret} value={secret} />
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import type { WebhookView } from '../../../schema/notices/webhook.ts';
import { may } from '../page/link.ts';
import { RecordPages } from '../records/record-pages.tsx';
import { webhooksText as words } from '../text/english-webhooks.ts';
import { Button, Empty } from '../ui/controls.tsx';
import { WebhookDialog, type WithSecret } from './webhook-form.tsx';
import { WebhookPage } from './webhook-page.tsx';
import { SecretDialog, WebhookState } from './webhook-parts.tsx';

/** The webhooks, or one of them with its deliveries. */
export function WebhookSection() {
  const [openId, open] = useState<number | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<WithSecret | null>(null);
  if (openId !== null) return <WebhookPage id={openId} onBack={() => open(null)} />;
  const add = may('webhooks') && (
    <Button kind="main" icon="plus" onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <RecordPages<WebhookView>
      title={words.title}
      hint={may('webhooks') ? words.hint : words.readOnly}
      path="/webhooks"
      empty={<Empty title={words.emptyTitle}>{words.empty}</Empty>}
      add={(reload) => (
        <>
          <p>{add}</p>
          {isAdding && (
            <WebhookDialog
              onClose={() => setAdding(false)}
              onSaved={(webhook) => {
                setAdding(false);
                setMade(webhook as WithSecret);
                void reload();
              }}
            />
          )}
        </>
      )}
      record={(webhook) => <WebhookRow key={webhook.id} webhook={webhook} onOpen={() => open(webhook.id)} />}
    >
      {made && <SecretDialog secret={made.secret} onClose={() => setMade(null)} />}
    </RecordPages>
  );
}

function WebhookRow({ webhook, onOpen }: { readonly webhook: WebhookView; readonly onOpen: () => void }) {
  const { url, description, status, events } = webhook;
  const kinds = events.includes('*') ? words.everything : words.some(events.length);
  return (
    <li class={status === 'active' ? '' : 'off'}>
      <span class="what">
        <strong dir={description ? 'auto' : 'ltr'}>{description || url}</strong>
        {description && (
          <span class="soft" dir="ltr">
            {url}
          </span>
        )}
      </span>
      <span class="state">
        <WebhookState webhook={webhook} />
      </span>
      <span class="soft">{kinds}</span>
      <span class="actions">
        <Button onClick={onOpen}>{words.open}</Button>
      </span>
    </li>
  );
}

import { useState } from 'preact/hooks';
import type { WebhookView } from '../../../schema/notices/webhook.ts';
import type { ApiCall } from '../live/protocol.ts';
import { callApi, may } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { Waiting } from '../settings/setting-parts.tsx';
import { useRecord } from '../settings/use-record.ts';
import { settingsText } from '../text/english-settings.ts';
import { webhooksText as words } from '../text/english-webhooks.ts';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { say } from '../ui/toasts.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { Deliveries } from './webhook-deliveries.tsx';
import { WebhookDialog, type WithSecret } from './webhook-form.tsx';
import { SecretDialog, WebhookState } from './webhook-section.tsx';

type Asked = 'edit' | 'rotate' | 'remove' | 'replay' | null;

/** One webhook: what it gets, how it fares, and everything that was sent to it. */
export function WebhookPage({ id, onBack }: { readonly id: number; readonly onBack: () => void }) {
  const { data: webhook, problem, reload, replace } = useRecord<WebhookView>(`/webhooks/${id}`);
  const [asked, ask] = useState<Asked>(null);
  const [isBusy, setBusy] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  /** Counts what was ordered, so that the deliveries are read again. */
  const [orders, setOrders] = useState(0);
  if (!webhook) return <Waiting problem={problem} reload={reload} />;

  async function order<T>(call: ApiCall, done: (data: T) => void): Promise<void> {
    ask(null);
    setBusy(true);
    const answer = await callApi<T>(call);
    setBusy(false);
    if (answer.ok) done(answer.data);
    else say(refusalText(answer.failure), 'fault');
  }
  const ordered = (said: string) => {
    say(said);
    setOrders((before) => before + 1);
  };
  const path = `/webhooks/${id}`;
  const isOn = webhook.status === 'active';
  const close = () => ask(null);
  return (
    <div class="settings-form webhook-page">
      <p>
        <Button kind="quiet" onClick={onBack}>
          ‹ {words.back}
        </Button>
      </p>
      <header>
        <h2 dir="auto">{webhook.description || words.title}</h2>
        <p class="url" dir="ltr">
          {webhook.url}
        </p>
        <p class="facts">
          <WebhookState webhook={webhook} />
          <EventNames events={webhook.events} />
        </p>
        {webhook.disabledReason !== null && <p class="late-text">{words.disabled[webhook.disabledReason]}</p>}
      </header>
      {may('webhooks') && (
        <p class="actions">
          <Button
            kind="main"
            busy={isBusy}
            onClick={() => void order({ method: 'POST', path: `${path}/test` }, () => ordered(words.tested))}
          >
            {words.test}
          </Button>
          <Button onClick={() => ask('replay')}>{words.replay}</Button>
          <Button onClick={() => ask('edit')}>{words.edit}</Button>
          <Button onClick={() => ask('rotate')}>{words.rotate}</Button>
          <Button
            busy={isBusy}
            onClick={() => void order<WebhookView>({ method: 'PATCH', path, body: { isActive: !isOn } }, replace)}
          >
            {isOn ? words.switchOff : words.switchOn}
          </Button>
          <Button kind="danger" onClick={() => ask('remove')}>
            {words.remove}
          </Button>
        </p>
      )}
      {asked === 'edit' && (
        <WebhookDialog
          webhook={webhook}
          onClose={close}
          onSaved={(saved) => {
            close();
            replace(saved);
          }}
        />
      )}
      {asked === 'rotate' && (
        <Sure
          title={words.rotateTitle}
          hint={words.rotateHint}
          confirm={words.rotateConfirm}
          onClose={close}
          onSure={() =>
            void order<WithSecret>({ method: 'POST', path: `${path}/rotate-secret` }, (made) => setSecret(made.secret))
          }
        />
      )}
      {asked === 'remove' && (
        <Sure
          title={words.removeTitle}
          hint={words.removeHint}
          confirm={words.removeConfirm}
          onClose={close}
          onSure={() =>
            void order({ method: 'DELETE', path }, () => {
              say(words.removed);
              onBack();
            })
          }
        />
      )}
      {asked === 'replay' && (
        <ReplayDialog
          webhookId={id}
          onClose={close}
          onDone={(count) => {
            close();
            ordered(words.replayed(count));
          }}
        />
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
      <Deliveries webhookId={id} orders={orders} />
    </div>
  );
}

/** The chosen events, as the API names them: programmers read this. */
function EventNames({ events }: { readonly events: readonly string[] }) {
  if (events.includes('*')) return <span class="soft">{words.everything}</span>;
  return (
    <span class="soft" dir="ltr">
      {events.join(', ')}
    </span>
  );
}

interface SureProps {
  readonly title: string;
  readonly hint: string;
  readonly confirm: string;
  readonly onClose: () => void;
  readonly onSure: () => void;
}

function Sure({ title, hint, confirm, onClose, onSure }: SureProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="soft">{hint}</p>
      <p class="row-end">
        <Button onClick={onClose}>{settingsText.cancel}</Button>
        <Button kind="danger" onClick={onSure}>
          {confirm}
        </Button>
      </p>
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import type { WebhookView } from '../../../schema/notices/webhook.ts';
import type { ApiCall } from '../live/protocol.ts';
import { may } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { Waiting } from '../records/record-parts.tsx';
import { useKeyedCalls } from '../records/use-keyed-calls.ts';
import { useRecord } from '../records/use-record.ts';
import { text } from '../text/english.ts';
import { settingsText } from '../text/english-settings.ts';
import { webhooksText as words } from '../text/english-webhooks.ts';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { say } from '../ui/toasts.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { Deliveries } from './webhook-deliveries.tsx';
import { WebhookDialog, type WithSecret } from './webhook-form.tsx';
import { SecretDialog, WebhookState } from './webhook-parts.tsx';

type Asked = 'edit' | 'rotate' | 'remove' | 'replay' | null;

/** Asks the API, says why when it refuses, and hands over the answer when it does not. */
type Order = <T>(call: ApiCall, done: (data: T) => void) => Promise<void>;

/** One webhook: its events, its health, and everything that was sent to it. */
export function WebhookPage({ id, onBack }: { readonly id: number; readonly onBack: () => void }) {
  const { data: webhook, problem, reload, replace } = useRecord<WebhookView>(`/webhooks/${id}`);
  const [asked, ask] = useState<Asked>(null);
  const [isBusy, setBusy] = useState(false);
  /** Counts the orders, so that the deliveries are read again. */
  const [orders, setOrders] = useState(0);
  const send = useKeyedCalls();
  if (!webhook) return <Waiting problem={problem} reload={reload} />;

  const order: Order = async <T,>(call: ApiCall, done: (data: T) => void) => {
    ask(null);
    setBusy(true);
    const answer = await send<T>(call);
    setBusy(false);
    if (answer.ok) done(answer.data);
    else say(refusalText(answer.failure), 'fault');
  };
  const ordered = (said: string) => {
    ask(null);
    say(said);
    setOrders((before) => before + 1);
  };
  const parts = { webhook, order, ask, ordered, replace };
  return (
    <div class="settings-form webhook-page">
      <p>
        <Button kind="quiet" onClick={onBack}>
          ‹ {words.back}
        </Button>
      </p>
      <Head webhook={webhook} />
      {may('webhooks') && <Actions {...parts} isBusy={isBusy} />}
      {may('webhooks') && <Questions {...parts} asked={asked} onRemoved={onBack} />}
      <Deliveries webhookId={id} orders={orders} />
    </div>
  );
}

function Head({ webhook }: { readonly webhook: WebhookView }) {
  return (
    <header>
      <h2 dir="auto">{webhook.description || new URL(webhook.url).host}</h2>
      <p class="url" dir="ltr">
        {webhook.url}
      </p>
      <p class="facts">
        <WebhookState webhook={webhook} />
        <EventNames events={webhook.events} />
        <Narrowing webhook={webhook} />
      </p>
      {webhook.disabledReason !== null && <p class="late-text">{words.disabled[webhook.disabledReason]}</p>}
    </header>
  );
}

interface Parts {
  readonly webhook: WebhookView;
  readonly order: Order;
  readonly ask: (asked: Asked) => void;
  readonly ordered: (said: string) => void;
  readonly replace: (webhook: WebhookView) => void;
}

function Actions({ webhook, order, ask, ordered, replace, isBusy }: Parts & { readonly isBusy: boolean }) {
  const path = `/webhooks/${webhook.id}`;
  const isOn = webhook.status === 'active';
  const toggle = () => void order<WebhookView>({ method: 'PATCH', path, body: { isActive: !isOn } }, replace);
  const test = () => void order({ method: 'POST', path: `${path}/test` }, () => ordered(words.tested));
  return (
    <p class="actions">
      <Button kind="main" busy={isBusy} onClick={test}>
        {words.test}
      </Button>
      <Button onClick={() => ask('replay')}>{words.replay}</Button>
      <Button onClick={() => ask('edit')}>{words.edit}</Button>
      <Button onClick={() => ask('rotate')}>{words.rotate}</Button>
      <Button busy={isBusy} onClick={toggle}>
        {isOn ? words.switchOff : words.switchOn}
      </Button>
      <Button kind="danger" onClick={() => ask('remove')}>
        {words.remove}
      </Button>
    </p>
  );
}

interface QuestionProps extends Parts {
  readonly asked: Asked;
  readonly onRemoved: () => void;
}

/** The dialog that is open, and the secret that an answer has brought. */
function Questions({ webhook, asked, order, ask, ordered, replace, onRemoved }: QuestionProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const path = `/webhooks/${webhook.id}`;
  const close = () => ask(null);
  const rotate = () =>
    void order<WithSecret>({ method: 'POST', path: `${path}/rotate-secret` }, (made) => setSecret(made.secret));
  const remove = () =>
    void order({ method: 'DELETE', path }, () => {
      say(words.removed);
      onRemoved();
    });
  const saved = (changed: WebhookView) => {
    close();
    replace(changed);
  };
  if (secret !== null) return <SecretDialog secret={secret} onClose={() => setSecret(null)} />;
  if (asked === 'edit') return <WebhookDialog webhook={webhook} onClose={close} onSaved={saved} />;
  if (asked === 'replay')
    return <ReplayDialog webhookId={webhook.id} onClose={close} onDone={(count) => ordered(words.replayed(count))} />;
  if (asked === 'rotate') {
    const { rotateTitle: title, rotateHint: hint, rotateConfirm: confirm } = words;
    return <Sure title={title} hint={hint} confirm={confirm} onClose={close} onSure={rotate} />;
  }
  if (asked === 'remove') {
    const { removeTitle: title, removeHint: hint, removeConfirm: confirm } = words;
    return <Sure title={title} hint={hint} confirm={confirm} onClose={close} onSure={remove} />;
  }
  return null;
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

/** The statuses and channels to which it is narrowed, if any. */
function Narrowing({ webhook: { statuses, channelIds } }: { readonly webhook: WebhookView }) {
  const facts = [
    statuses && words.onlyStatuses(statuses.map((status) => text.status[status] ?? status).join(', ')),
    channelIds && words.onlyChannels(channelIds.length),
  ].filter(Boolean);
  return facts.length === 0 ? null : <span class="soft">{facts.join(' · ')}</span>;
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

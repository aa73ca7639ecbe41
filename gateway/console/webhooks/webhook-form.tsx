import { useState } from 'preact/hooks';
import type { WebhookView } from '../../../schema/notices/webhook.ts';
import { may } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { useKeyedCalls } from '../records/use-keyed-calls.ts';
import { settingsText } from '../text/english-settings.ts';
import { webhooksText } from '../text/english-webhooks.ts';
import { Field } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FormEnd } from '../ui/form-end.tsx';
import { say } from '../ui/toasts.tsx';
import {
  EMPTY_WEBHOOK,
  EVERYTHING,
  FAMILIES,
  type Family,
  formOfWebhook,
  toggleEvent,
  type WebhookForm,
  webhookBody,
} from './webhook-fields.ts';
import { ChannelsField, StatusesField } from './webhook-filters.tsx';

const { form: words } = webhooksText;
export type WithSecret = WebhookView & { readonly secret: string };

interface Props {
  /** Undefined: a new one. */
  readonly webhook?: WebhookView | undefined;
  readonly onClose: () => void;
  /** The answer of a new webhook has its secret. */
  readonly onSaved: (webhook: WebhookView | WithSecret) => void;
}

export function WebhookDialog({ webhook, onClose, onSaved }: Props) {
  const before = webhook && formOfWebhook(webhook);
  const [form, setForm] = useState<WebhookForm>(before ?? EMPTY_WEBHOOK);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const call = useKeyedCalls();
  const set = (change: Partial<WebhookForm>) => setForm((now) => ({ ...now, ...change }));

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (form.events.length === 0) return setProblem(words.needEvents);
    setBusy(true);
    setProblem(null);
    const change = webhook
      ? ({ method: 'PATCH', path: `/webhooks/${webhook.id}` } as const)
      : ({ method: 'POST', path: '/webhooks' } as const);
    const answer = await call<WebhookView>({ ...change, body: webhookBody(form, before) });
    setBusy(false);
    if (!answer.ok) return setProblem(refusalText(answer.failure));
    say(webhook ? words.saved : words.created);
    onSaved(answer.data);
  }
  return (
    <Dialog title={webhook ? words.editTitle : words.addTitle} onClose={onClose}>
      <form class="stack webhook-form" onSubmit={submit}>
        <TextField name="url" form={form} set={set} />
        <TextField name="description" form={form} set={set} />
        <EventsField events={form.events} onChange={(events) => set({ events })} />
        <StatusesField form={form} set={set} />
        {may('channels') && (webhook?.channelId ?? null) === null && <ChannelsField form={form} set={set} />}
        <Field id="webhook-concurrency" label={words.concurrency} hint={words.concurrencyHint}>
          {(props) => (
            <input
              {...props}
              type="number"
              required
              min={1}
              max={16}
              value={form.concurrency}
              onInput={({ currentTarget }) => set({ concurrency: currentTarget.value })}
            />
          )}
        </Field>
        <FormEnd
          problem={problem}
          isBusy={isBusy}
          submit={webhook ? words.save : words.create}
          leave={settingsText.cancel}
          onLeave={onClose}
        />
      </form>
    </Dialog>
  );
}

interface TextProps {
  readonly name: 'url' | 'description';
  readonly form: WebhookForm;
  readonly set: (change: Partial<WebhookForm>) => void;
}

function TextField({ name, form, set }: TextProps) {
  return (
    <Field id={`webhook-${name}`} label={words[name]} hint={words[`${name}Hint`]}>
      {(props) => (
        <input
          {...props}
          required={name === 'url'}
          autofocus={name === 'url'}
          dir={name === 'url' ? 'ltr' : 'auto'}
          inputMode={name === 'url' ? 'url' : 'text'}
          value={form[name]}
          onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
}

interface EventsProps {
  readonly events: readonly string[];
  readonly onChange: (events: readonly string[]) => void;
}

/** An event that a wider choice holds is checked, and cannot be taken out of it. */
function EventsField({ events, onChange }: EventsProps) {
  const hasAll = events.includes(EVERYTHING);
  const check = (name: string, label: string, isHeld: boolean) => (
    <label key={name} class="check">
      <input
        type="checkbox"
        checked={isHeld || events.includes(name)}
        disabled={isHeld}
        onChange={({ currentTarget }) => onChange(toggleEvent(events, name, currentTarget.checked))}
      />
      {label}
    </label>
  );
  const family = ({ name, all, types }: Family) => (
    <fieldset key={name}>
      <legend>{webhooksText.families[name as 'task']}</legend>
      {check(all, words.allOf(webhooksText.families[name as 'task']), hasAll)}
      {types.map((type) => check(type, webhooksText.events[type as 'task.created'], hasAll || events.includes(all)))}
    </fieldset>
  );
  return (
    <fieldset class="events">
      <legend>{words.events}</legend>
      {check(EVERYTHING, words.all, false)}
      {!hasAll && FAMILIES.map(family)}
    </fieldset>
  );
}

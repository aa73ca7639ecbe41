import { useState } from 'preact/hooks';
import type { ChannelView } from '../../../schema/accounts/channel.ts';
import { callApi } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { RecordPages } from '../records/record-pages.tsx';
import { Copied } from '../records/record-parts.tsx';
import { useKeyedCalls } from '../records/use-keyed-calls.ts';
import { settingsText } from '../text/english-settings.ts';
import { Button, Field } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { say } from '../ui/toasts.tsx';

const { channels: words } = settingsText;

type WithKey = ChannelView & { readonly apiKey: string };

export function ChannelSection() {
  const [made, setMade] = useState<WithKey | null>(null);
  const keyed = (reload: () => Promise<void>) => async (channel: WithKey) => {
    setMade(channel);
    await reload();
  };
  return (
    <RecordPages<ChannelView>
      title={words.title}
      hint={words.hint}
      path="/channels"
      add={(reload) => <AddChannel onAdded={keyed(reload)} />}
      record={(channel, reload) => (
        <Channel key={channel.id} channel={channel} onChanged={reload} onKey={keyed(reload)} />
      )}
    >
      {made && (
        <Dialog title={words.keyTitle(made.name)} onClose={() => setMade(null)}>
          <p class="soft">{words.keyHint}</p>
          <Copied label={words.key} value={made.apiKey} />
        </Dialog>
      )}
    </RecordPages>
  );
}

interface ChannelProps {
  readonly channel: ChannelView;
  readonly onChanged: () => Promise<void>;
  readonly onKey: (channel: WithKey) => Promise<void>;
}

function Channel({ channel, onChanged, onKey }: ChannelProps) {
  const [isBusy, setBusy] = useState(false);
  const [isAsking, ask] = useState(false);
  const call = useKeyedCalls();
  const { id, name, status, isBuiltIn, rateLimit, locationsWrite } = channel;
  const isActive = status === 'ACTIVE';

  async function toggle(): Promise<void> {
    setBusy(true);
    const body = { status: isActive ? 'INACTIVE' : 'ACTIVE' };
    const answer = await callApi({ method: 'PATCH', path: `/channels/${id}`, body });
    if (!answer.ok) say(refusalText(answer.failure), 'fault');
    await onChanged();
    setBusy(false);
  }
  async function regenerate(): Promise<void> {
    ask(false);
    setBusy(true);
    const answer = await call<WithKey>({ method: 'POST', path: `/channels/${id}/regenerate-key` });
    setBusy(false);
    if (answer.ok) await onKey({ ...channel, ...answer.data });
    else say(refusalText(answer.failure), 'fault');
  }
  const facts = [words.rate(rateLimit), locationsWrite && words.sendsPositions].filter(Boolean).join(' · ');
  return (
    <li class={isActive ? '' : 'off'} aria-busy={isBusy}>
      <span class="what">
        <strong>{name}</strong>
        <span class="soft">{isBuiltIn ? words.builtIn : facts}</span>
      </span>
      <span class="state soft">{isActive ? '' : words.statuses[status]}</span>
      <span />
      <span class="actions">
        {!isBuiltIn && (
          <>
            <Button disabled={isBusy} onClick={() => ask(true)}>
              {words.regenerate}
            </Button>
            <Button kind="quiet" disabled={isBusy} onClick={() => void toggle()}>
              {isActive ? words.deactivate : words.activate}
            </Button>
          </>
        )}
      </span>
      {isAsking && (
        <Dialog title={words.regenerateTitle(name)} onClose={() => ask(false)}>
          <p class="soft">{words.regenerateHint}</p>
          <p class="row-end">
            <Button onClick={() => ask(false)}>{settingsText.cancel}</Button>
            <Button kind="danger" onClick={() => void regenerate()}>
              {words.confirm}
            </Button>
          </p>
        </Dialog>
      )}
    </li>
  );
}

const NO_CHANNEL = { name: '', locationsWrite: false };

function AddChannel({ onAdded }: { readonly onAdded: (channel: WithKey) => Promise<void> }) {
  const [form, setForm] = useState(NO_CHANNEL);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const call = useKeyedCalls();
  const { name, locationsWrite } = form;

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    const body = { name: name.trim(), locationsWrite };
    const answer = await call<WithKey>({ method: 'POST', path: '/channels', body });
    setBusy(false);
    if (!answer.ok) return setProblem(refusalText(answer.failure));
    // Text that was typed since stays.
    setForm((now) => (now === form ? NO_CHANNEL : now));
    await onAdded(answer.data);
  }
  return (
    <form class="add-record" onSubmit={submit} aria-label={words.add}>
      <Field id="channel-name" label={words.name} error={problem}>
        {(props) => (
          <input
            {...props}
            required
            value={name}
            onInput={({ currentTarget }) => setForm({ ...form, name: currentTarget.value })}
          />
        )}
      </Field>
      <label class="check">
        <input
          type="checkbox"
          checked={locationsWrite}
          onChange={({ currentTarget }) => setForm({ ...form, locationsWrite: currentTarget.checked })}
        />
        {words.positions}
      </label>
      <Button type="submit" kind="main" busy={isBusy}>
        {words.submit}
      </Button>
    </form>
  );
}

import { useState } from 'preact/hooks';
import { refusalText } from '../page/refusals.ts';
import { nowMs } from '../page/state.ts';
import { LAST_TIME, localTime, momentOf } from '../page/zoned-time.ts';
import { useKeyedCalls } from '../records/use-keyed-calls.ts';
import { settingsText } from '../text/english-settings.ts';
import { webhooksText as words } from '../text/english-webhooks.ts';
import { Field } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FormEnd } from '../ui/form-end.tsx';

interface Props {
  readonly webhookId: number;
  readonly onClose: () => void;
  /** With the number of events that are looked through. */
  readonly onDone: (count: number) => void;
}

const HOUR_MS = 3_600_000;

/** Sends the events of a stretch of time again. Times are those of the organization's clock. */
export function ReplayDialog({ webhookId, onClose, onDone }: Props) {
  const [form, setForm] = useState(() => ({ from: localTime(nowMs.peek() - HOUR_MS), to: '' }));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const call = useKeyedCalls();

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const [from, to] = [momentOf(form.from), momentOf(form.to)];
    if (from === null) return setProblem(words.needFrom);
    setBusy(true);
    setProblem(null);
    const iso = (ms: number) => new Date(ms).toISOString();
    const body = { from: iso(from), ...(to === null ? {} : { to: iso(to) }) };
    const path = `/webhooks/${webhookId}/replay`;
    const answer = await call<{ readonly count: number }>({ method: 'POST', path, body });
    setBusy(false);
    if (answer.ok) onDone(answer.data.count);
    else setProblem(refusalText(answer.failure));
  }
  const time = (name: 'from' | 'to', hint?: string) => (
    <Field id={`replay-${name}`} label={words[name]} {...(hint === undefined ? {} : { hint })}>
      {(props) => (
        <input
          {...props}
          type="datetime-local"
          max={LAST_TIME}
          required={name === 'from'}
          value={form[name]}
          onInput={({ currentTarget }) => setForm({ ...form, [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <Dialog title={words.replayTitle} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p class="soft">{words.replayHint}</p>
        {time('from')}
        {time('to', words.toHint)}
        <FormEnd
          problem={problem}
          isBusy={isBusy}
          submit={words.replay}
          leave={settingsText.cancel}
          onLeave={onClose}
        />
      </form>
    </Dialog>
  );
}

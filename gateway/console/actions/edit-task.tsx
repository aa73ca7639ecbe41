import { useState } from 'preact/hooks';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { amendmentOf, changeEdit, type Edit, type EditForm, endEdit, formOf, meetSaved } from '../page/edit.ts';
import { isNowhere } from '../page/pin.ts';
import { refusalText } from '../page/refusals.ts';
import { LAST_TIME } from '../page/zoned-time.ts';
import { useKeyedCalls } from '../records/use-keyed-calls.ts';
import { text } from '../text/english.ts';
import { Field } from '../ui/controls.tsx';
import { FormEnd } from '../ui/form-end.tsx';
import { say } from '../ui/toasts.tsx';
import { PlaceFields } from './place-fields.tsx';

const { edit: words } = text;

/** The fields of an open task. The courier who has it hears of the change. */
export function EditTask({ task, edit }: { readonly task: TaskView; readonly edit: Edit }) {
  const { before, form } = edit;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const call = useKeyedCalls();
  const part: Part = { form, onChange: (change) => changeEdit(task.id, change) };
  const close = () => endEdit(task.id);
  const isOutdated = JSON.stringify(formOf(task)) !== JSON.stringify(before);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isNowhere(before, form)) return setError(text.create.needPin);
    const body = amendmentOf(before, form, task);
    if (!body) return close();
    setBusy(true);
    setError(null);
    const answer = await call<TaskView>({ method: 'POST', path: `/tasks/${task.id}/amend`, body });
    setBusy(false);
    if (!answer.ok) return setError(refusalText(answer.failure));
    meetSaved(answer.data, edit);
    say(words.saved(task.code));
  }

  return (
    <>
      <header>
        <p class="code">{task.code}</p>
        <h2 dir="auto">{words.title(task.name)}</h2>
        {isOutdated && <p class="say">{words.outdated}</p>}
      </header>
      <form class="stack" onSubmit={submit}>
        {task.location && <PlaceFields id="edit" place={form} onChange={part.onChange} />}
        <Times {...part} isScheduled={task.scheduledAt !== null} />
        <Contact {...part} />
        <Texts {...part} />
        <FormEnd problem={error} isBusy={busy} submit={words.submit} leave={text.create.discard} onLeave={close} />
      </form>
    </>
  );
}

interface Part {
  readonly form: EditForm;
  readonly onChange: (change: Partial<EditForm>) => void;
}

function Times({ form, onChange, isScheduled }: Part & { readonly isScheduled: boolean }) {
  const field = (name: 'scheduledAt' | 'windowStart' | 'windowEnd', label: string) => (
    <Field id={`edit-${name}`} label={label}>
      {(props) => (
        <input
          {...props}
          type="datetime-local"
          max={LAST_TIME}
          required={name === 'scheduledAt'}
          value={form[name]}
          onInput={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      {isScheduled && field('scheduledAt', text.panel.scheduled)}
      {field('windowStart', words.windowStart)}
      {field('windowEnd', words.windowEnd)}
    </>
  );
}

function Contact({ form, onChange }: Part) {
  return (
    <div class="pair">
      <Field id="edit-contact" label={words.contact}>
        {(props) => (
          <input
            {...props}
            dir="auto"
            maxLength={255}
            required={form.contactPhone.trim() !== ''}
            value={form.contactName}
            onInput={({ currentTarget }) => onChange({ contactName: currentTarget.value })}
          />
        )}
      </Field>
      <Field id="edit-phone" label={words.contactPhone}>
        {(props) => (
          <input
            {...props}
            type="tel"
            required={form.contactName.trim() !== ''}
            value={form.contactPhone}
            onInput={({ currentTarget }) => onChange({ contactPhone: currentTarget.value })}
          />
        )}
      </Field>
    </div>
  );
}

function Texts({ form, onChange }: Part) {
  const field = (name: 'notes' | 'description', label: string) => (
    <Field id={`edit-${name}`} label={label}>
      {(props) => (
        <textarea
          {...props}
          rows={2}
          dir="auto"
          maxLength={10_000}
          value={form[name]}
          onInput={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      {field('notes', text.panel.notes)}
      {field('description', text.panel.description)}
    </>
  );
}

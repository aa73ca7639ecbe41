import { useState } from 'preact/hooks';
import type { NotificationSettings } from '../../../schema/notices/notification.ts';
import type { Answer } from '../live/protocol.ts';
import { callApi, may } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { Waiting } from '../records/record-parts.tsx';
import { useRecord } from '../records/use-record.ts';
import { noticesText as words } from '../text/english-notices.ts';
import { settingsText } from '../text/english-settings.ts';
import { Field } from '../ui/controls.tsx';
import { say } from '../ui/toasts.tsx';
import { rebased } from './own-changes.ts';
import { SaveBar } from './setting-parts.tsx';

const PATH = '/notifications/settings';
const KINDS = ['created', 'onTheWay', 'completed'] as const;
type Kind = (typeof KINDS)[number];
/** As the engine takes them, in double braces. */
const PLACEHOLDERS = ['customerName', 'taskCode', 'organizationName', 'window', 'trackingUrl'];

interface Mail {
  readonly isSent: boolean;
  readonly subject: string;
  readonly introduction: string;
}
type Form = Readonly<Record<Kind, Mail>>;

function formOf({ customerMail, templates }: NotificationSettings): Form {
  const mail = (kind: Kind): Mail => ({
    isSent: customerMail[kind],
    subject: templates[kind]?.subject ?? '',
    introduction: templates[kind]?.introduction ?? '',
  });
  return { created: mail('created'), onTheWay: mail('onTheWay'), completed: mail('completed') };
}

/** The body of the PUT. An empty text keeps the usual words. */
function bodyOf(form: Form): NotificationSettings {
  const orNull = (typed: string) => (typed.trim() === '' ? null : typed);
  const template = ({ subject, introduction }: Mail) => ({
    subject: orNull(subject),
    introduction: orNull(introduction),
  });
  const { created, onTheWay, completed } = form;
  return {
    customerMail: { created: created.isSent, onTheWay: onTheWay.isSent, completed: completed.isSent },
    templates: { created: template(created), onTheWay: template(onTheWay), completed: template(completed) },
  };
}

function rebasedMails(form: Form, began: Form, savedNow: Form): Form {
  const mail = (kind: Kind) => rebased(form[kind], began[kind], savedNow[kind]);
  return { created: mail('created'), onTheWay: mail('onTheWay'), completed: mail('completed') };
}

/** A PUT holds everything, so the changes go onto what is saved at this moment. */
async function put(form: Form, began: Form): Promise<Answer<NotificationSettings>> {
  const read = await callApi<NotificationSettings>({ method: 'GET', path: PATH });
  if (!read.ok) return read;
  const body = bodyOf(rebasedMails(form, began, formOf(read.data)));
  return callApi<NotificationSettings>({ method: 'PUT', path: PATH, body, ifMatch: read.etag });
}

export function NoticeSection() {
  const record = useRecord<NotificationSettings>(PATH);
  if (!record.data) return <Waiting {...record} />;
  return <NoticeForm settings={record.data} onSaved={record.replace} />;
}

interface Props {
  readonly settings: NotificationSettings;
  readonly onSaved: (settings: NotificationSettings) => void;
}

function NoticeForm({ settings, onSaved }: Props) {
  const saved = formOf(settings);
  const [form, setForm] = useState(saved);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const isLocked = !may('organization');

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    const answer = await put(form, saved);
    setBusy(false);
    if (!answer.ok) return setProblem(refusalText(answer.failure));
    onSaved(answer.data);
    setForm((now) => rebasedMails(now, form, formOf(answer.data)));
    say(settingsText.saved);
  }
  function undo(): void {
    setForm(saved);
    setProblem(null);
  }
  return (
    <form class="settings-form" onSubmit={submit}>
      <h2>{words.title}</h2>
      <p class="say">{isLocked ? words.readOnly : words.hint}</p>
      <p class="soft placeholders">
        {words.placeholders}{' '}
        {PLACEHOLDERS.map((name) => (
          <code key={name} dir="ltr">{`{{${name}}}`}</code>
        ))}
      </p>
      {KINDS.map((kind) => (
        <MailFields
          key={kind}
          kind={kind}
          mail={form[kind]}
          isLocked={isLocked}
          onChange={(change) => setForm({ ...form, [kind]: { ...form[kind], ...change } })}
        />
      ))}
      <SaveBar
        isChanged={JSON.stringify(form) !== JSON.stringify(saved)}
        isBusy={isBusy}
        problem={problem}
        onUndo={undo}
      />
    </form>
  );
}

interface MailProps {
  readonly kind: Kind;
  readonly mail: Mail;
  readonly isLocked: boolean;
  readonly onChange: (change: Partial<Mail>) => void;
}

function MailFields({ kind, mail, isLocked, onChange }: MailProps) {
  const { label, hint } = words.kinds[kind];
  return (
    <fieldset class="mail" disabled={isLocked}>
      <legend>{label}</legend>
      <p class="soft">{hint}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={mail.isSent}
          onChange={({ currentTarget }) => onChange({ isSent: currentTarget.checked })}
        />
        {words.send}
      </label>
      <Field id={`${kind}-subject`} label={words.subject}>
        {(props) => (
          <input
            {...props}
            dir="auto"
            placeholder={words.usual}
            value={mail.subject}
            onInput={({ currentTarget }) => onChange({ subject: currentTarget.value })}
          />
        )}
      </Field>
      <Field id={`${kind}-introduction`} label={words.introduction}>
        {(props) => (
          <textarea
            {...props}
            rows={3}
            dir="auto"
            placeholder={words.usual}
            value={mail.introduction}
            onInput={({ currentTarget }) => onChange({ introduction: currentTarget.value })}
          />
        )}
      </Field>
    </fieldset>
  );
}

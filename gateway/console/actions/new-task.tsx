import { useRef, useState } from 'preact/hooks';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { callApi, couriers } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { draft, taskId } from '../page/state.ts';
import { text } from '../text/english.ts';
import { Button, Field } from '../ui/controls.tsx';
import { say } from '../ui/toasts.tsx';
import { giveTo } from './act.ts';
import { type Chosen, CustomerField } from './customer-field.tsx';

const { create: words } = text;

/** Minutes until the task is due. */
const DUE = [30, 60, 120, 240, 1_440] as const;
const TYPES = ['delivery', 'pickup', 'return', 'transfer'] as const;
const LOOK = 'look';

interface Form {
  readonly name: string;
  readonly taskType: string;
  readonly customer: Chosen;
  readonly address: string;
  readonly dueMinutes: number;
  readonly notes: string;
  /** Nobody, `look` for a search, or the id of a courier. */
  readonly courier: string;
}

const EMPTY: Form = {
  name: '',
  taskType: 'delivery',
  customer: { id: null, name: '', phone: '' },
  address: '',
  dueMinutes: 60,
  notes: '',
  courier: '',
};

/** The pin is set on the map, or typed. Everything stays in the form until the engine has taken it. */
export function NewTask() {
  const [form, setForm] = useState(EMPTY);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // The same order sent twice makes one task.
  const attempt = useRef({ sent: '', key: '' });
  const pin = draft.value?.pin ?? null;
  const set = (change: Partial<Form>) => setForm({ ...form, ...change });

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (!pin) return setError(words.needPin);
    const order = orderOf(form, pin);
    const sent = JSON.stringify(order);
    if (attempt.current.sent !== sent) attempt.current = { sent, key: crypto.randomUUID() };
    setBusy(true);
    setError(null);
    const answer = await callApi<TaskView>({ method: 'POST', path: '/tasks', body: order, key: attempt.current.key });
    setBusy(false);
    if (!answer.ok) return setError(refusalText(answer.failure));
    draft.value = null;
    taskId.value = answer.data.id;
    say(words.created(answer.data.code));
    if (/^\d+$/.test(form.courier)) await giveTo([answer.data.id], Number(form.courier));
  }

  return (
    <aside class="panel" aria-label={words.title}>
      <Button kind="quiet" icon="close" label={text.panel.close} onClick={close} />
      <header>
        <p class="code">{words.hint}</p>
        <h2>{words.title}</h2>
      </header>
      <form class="stack" onSubmit={submit}>
        <What form={form} set={set} />
        <CustomerField chosen={form.customer} onChange={(customer) => set({ customer })} />
        <Where form={form} set={set} />
        <How form={form} set={set} />
        {error && (
          <p class="fault" role="alert">
            {error}
          </p>
        )}
        <p class="row-end">
          <Button onClick={close}>{words.discard}</Button>
          <Button type="submit" kind="main" busy={busy}>
            {words.submit}
          </Button>
        </p>
      </form>
    </aside>
  );
}

function close(): void {
  draft.value = null;
}

interface Part {
  readonly form: Form;
  readonly set: (change: Partial<Form>) => void;
}

function What({ form, set }: Part) {
  return (
    <>
      <Field id="new-name" label={words.name}>
        {(props) => (
          <input
            {...props}
            required
            autofocus
            maxLength={255}
            value={form.name}
            onInput={({ currentTarget }) => set({ name: currentTarget.value })}
          />
        )}
      </Field>
      <Field id="new-type" label={words.type}>
        {(props) => (
          <select
            {...props}
            value={form.taskType}
            onChange={({ currentTarget }) => set({ taskType: currentTarget.value })}
          >
            {TYPES.map((type) => (
              <option key={type} value={type}>
                {text.taskType[type]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

function Where({ form, set }: Part) {
  const pin = draft.value?.pin ?? null;
  const shown = pin ? `${pin.latitude.toFixed(5)}, ${pin.longitude.toFixed(5)}` : '';
  return (
    <>
      <Field id="new-address" label={words.address}>
        {(props) => (
          <input
            {...props}
            required
            maxLength={255}
            value={form.address}
            onInput={({ currentTarget }) => set({ address: currentTarget.value })}
          />
        )}
      </Field>
      <Field id="new-pin" label={words.pin} hint={words.pinHint}>
        {(props) => (
          <input
            {...props}
            required
            inputMode="decimal"
            placeholder="52.52000, 13.40500"
            pattern={PIN.source}
            value={shown}
            onChange={({ currentTarget }) => {
              draft.value = { pin: pinIn(currentTarget.value) };
            }}
          />
        )}
      </Field>
    </>
  );
}

function How({ form, set }: Part) {
  const onDuty = couriers.value.filter(({ onDuty, isActive }) => onDuty && isActive);
  return (
    <>
      <Field id="new-due" label={words.due}>
        {(props) => (
          <select
            {...props}
            value={form.dueMinutes}
            onChange={({ currentTarget }) => set({ dueMinutes: Number(currentTarget.value) })}
          >
            {DUE.map((minutes) => (
              <option key={minutes} value={minutes}>
                {text.time.in(text.time.spans(minutes))}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field id="new-courier" label={words.courier}>
        {(props) => (
          <select
            {...props}
            value={form.courier}
            onChange={({ currentTarget }) => set({ courier: currentTarget.value })}
          >
            <option value="">{words.nobody}</option>
            <option value={LOOK}>{words.look}</option>
            {onDuty.map(({ id, name, open }) => (
              <option key={id} value={`${id}`}>
                {name} · {open === 0 ? text.couriers.free : text.list.tasks(open)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field id="new-notes" label={text.panel.notes}>
        {(props) => (
          <textarea
            {...props}
            rows={2}
            maxLength={10_000}
            value={form.notes}
            onInput={({ currentTarget }) => set({ notes: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}

interface Pin {
  readonly latitude: number;
  readonly longitude: number;
}

const PIN = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)\s*$/;

function pinIn(typed: string): Pin | null {
  const match = PIN.exec(typed);
  if (!match) return null;
  const [latitude, longitude] = [Number(match[1]), Number(match[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

function orderOf(form: Form, pin: Pin): Record<string, unknown> {
  const { customer } = form;
  return {
    name: form.name.trim(),
    taskType: form.taskType,
    ...(customer.id === null
      ? { customer: { name: customer.name.trim(), phone: customer.phone.trim() } }
      : { customerId: customer.id }),
    location: { address: form.address.trim(), ...pin },
    estimatedDuration: form.dueMinutes,
    ...(form.notes.trim() === '' ? {} : { notes: form.notes.trim() }),
    ...(form.courier === LOOK ? { autoAssign: true } : {}),
  };
}

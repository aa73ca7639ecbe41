import { useEffect, useState } from 'preact/hooks';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { Answer } from '../live/protocol.ts';
import {
  type Draft,
  discardDraft,
  discardSent,
  draft,
  isDrafting,
  keyOfOrder,
  meetAnswer,
  oldOrder,
} from '../page/draft.ts';
import { callApi, couriers } from '../page/link.ts';
import { type Pin, pinIn } from '../page/pin.ts';
import { refusalText } from '../page/refusals.ts';
import { taskId } from '../page/state.ts';
import { text } from '../text/english.ts';
import { paletteText } from '../text/english-palette.ts';
import { Button, Field } from '../ui/controls.tsx';
import { FormEnd } from '../ui/form-end.tsx';
import { say } from '../ui/toasts.tsx';
import { giveTo } from './act.ts';
import { CustomerField } from './customer-field.tsx';
import { beginImport } from './dialog-state.ts';
import { PlaceFields } from './place-fields.tsx';

const { create: words } = text;

/** Minutes until the task is due. */
const DUE = [30, 60, 120, 240, 1_440] as const;
const TYPES = ['delivery', 'pickup', 'return', 'transfer'] as const;
const LOOK = 'look';

/** Everything stays in the draft until the engine has taken it, also while its form is closed. */
export function NewTask() {
  const form = draft.value;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // Browsers heed `autofocus` once a page.
  useEffect(() => document.getElementById('new-name')?.focus(), []);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const pin = pinIn(form.pin);
    if (!pin) return setError(words.needPin);
    const order = orderOf(form, pin);
    setBusy(true);
    setError(null);
    const answer = oldOrder(order) ?? (await send(order));
    setBusy(false);
    if (!answer.ok) return setError(refusalText(answer.failure));
    const isGone = discardSent(form);
    taskId.value = answer.data.id;
    say(words.created(answer.data.code, isGone));
    if (/^\d+$/.test(form.courier)) await giveTo([answer.data.id], Number(form.courier));
  }

  return (
    <aside class="panel" tabIndex={-1} aria-label={words.title}>
      <Button kind="quiet" icon="close" label={text.panel.close} onClick={close} />
      <header>
        <p class="code beside-map">{words.hint}</p>
        <h2>{words.title}</h2>
        <button type="button" class="link" onClick={beginImport}>
          {paletteText.manyTasks}
        </button>
      </header>
      <form class="stack" onSubmit={submit}>
        <What form={form} />
        <CustomerField chosen={form.customer} onChange={(customer) => set({ customer })} />
        <PlaceFields id="new" place={form} onChange={set} />
        <How form={form} />
        <FormEnd problem={error} isBusy={busy} submit={words.submit} leave={words.discard} onLeave={discardDraft} />
      </form>
    </aside>
  );
}

async function send(order: unknown): Promise<Answer<TaskView>> {
  const key = keyOfOrder(order);
  const answer = await callApi<TaskView>({ method: 'POST', path: '/tasks', body: order, key });
  meetAnswer(key, answer);
  return answer;
}

function close(): void {
  isDrafting.value = false;
}

/** Takes the draft as it is now: a click on the map may come while a field is being typed in. */
function set(change: Partial<Draft>): void {
  draft.value = { ...draft.peek(), ...change };
}

interface Part {
  readonly form: Draft;
}

function What({ form }: Part) {
  return (
    <>
      <Field id="new-name" label={words.name}>
        {(props) => (
          <input
            {...props}
            required
            dir="auto"
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

function How({ form }: Part) {
  // The chosen one stays when it goes off duty: the choice is the dispatcher's.
  const offered = couriers.value.filter(({ id, onDuty, isActive }) => (onDuty && isActive) || `${id}` === form.courier);
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
            {offered.map(({ id, name, open }) => (
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
            dir="auto"
            maxLength={10_000}
            value={form.notes}
            onInput={({ currentTarget }) => set({ notes: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}

function orderOf(form: Draft, pin: Pin): Record<string, unknown> {
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

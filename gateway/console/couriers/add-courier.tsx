import { useState } from 'preact/hooks';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import { may, meetCourier } from '../page/link.ts';
import { ofUser } from '../page/of-user.ts';
import { refusalText } from '../page/refusals.ts';
import { useKeyedCalls } from '../records/use-keyed-calls.ts';
import { InvitationDialog } from '../settings/invitation-dialog.tsx';
import { couriersText } from '../text/english-couriers.ts';
import { Field } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FormEnd } from '../ui/form-end.tsx';
import { say } from '../ui/toasts.tsx';

const { add: words } = couriersText;
const VEHICLES = ['bike', 'cargo_bike', 'scooter', 'car', 'van'] as const;
const EMPTY = { name: '', email: '', phone: '', vehicle: 'bike' };

/** The new courier as it is typed. It stays when the dialog is closed, until the courier is added. */
const form = ofUser(EMPTY);

/** Adds a courier, and shows an administrator the link by which the courier chooses a password. */
export function AddCourier({ onClose }: { readonly onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const call = useKeyedCalls();
  const [added, setAdded] = useState<{ readonly userId: number; readonly name: string } | null>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    const sent = form.peek();
    const { name, email, phone, vehicle } = sent;
    const typed = { name: name.trim(), email: email.trim(), phone: phone.trim() };
    const body = { ...typed, agentType: 'employee', vehicle: { type: vehicle } };
    const answer = await call<AgentView>({ method: 'POST', path: '/agents', body });
    setBusy(false);
    if (!answer.ok) return setProblem(refusalText(answer.failure));
    if (form.peek() === sent) form.value = EMPTY;
    meetCourier(answer.data.id);
    say(words.added(typed.name));
    if (may('users')) setAdded({ userId: answer.data.userId, name: typed.name });
    else onClose();
  }
  if (added) return <InvitationDialog {...added} onClose={onClose} />;
  return (
    <Dialog title={words.title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <TextField name="name" type="text" />
        <TextField name="email" type="email" hint={words.emailHint} />
        <TextField name="phone" type="tel" hint={words.phoneHint} />
        <VehicleField />
        <FormEnd problem={problem} isBusy={isBusy} submit={words.submit} leave={words.cancel} onLeave={onClose} />
      </form>
    </Dialog>
  );
}

function set(change: Partial<typeof EMPTY>): void {
  form.value = { ...form.peek(), ...change };
}

interface TextProps {
  readonly name: 'name' | 'email' | 'phone';
  readonly type: 'text' | 'email' | 'tel';
  readonly hint?: string;
}

function TextField({ name, type, hint }: TextProps) {
  return (
    <Field id={`courier-${name}`} label={words[name]} {...(hint === undefined ? {} : { hint })}>
      {(props) => (
        <input
          {...props}
          // The types of Preact know one kind of input at a time.
          type={type as 'text'}
          required
          dir={name === 'name' ? 'auto' : 'ltr'}
          autofocus={name === 'name'}
          maxLength={254}
          value={form.value[name]}
          onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
}

function VehicleField() {
  return (
    <Field id="courier-vehicle" label={words.vehicle}>
      {(props) => (
        <select
          {...props}
          value={form.value.vehicle}
          onChange={({ currentTarget }) => set({ vehicle: currentTarget.value })}
        >
          {VEHICLES.map((vehicle) => (
            <option key={vehicle} value={vehicle}>
              {couriersText.vehicles[vehicle]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

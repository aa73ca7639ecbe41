import { useState } from 'preact/hooks';
import type { AccountView } from '../../../schema/accounts/user.ts';
import { callApi, caller } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { RecordPages } from '../records/record-pages.tsx';
import { useKeyedCalls } from '../records/use-keyed-calls.ts';
import { text } from '../text/english.ts';
import { settingsText } from '../text/english-settings.ts';
import { Button, Field } from '../ui/controls.tsx';
import { say } from '../ui/toasts.tsx';
import { InvitationDialog } from './invitation-dialog.tsx';

const { people: words } = settingsText;
/** The roles that an administrator gives; couriers and super administrators are made elsewhere. */
const GIVEN = ['dispatcher', 'org_admin', 'integration'] as const;

const nameOf = ({ firstName, lastName }: AccountView) => `${firstName} ${lastName}`.trim();

export function PeopleSection() {
  const [invited, setInvited] = useState<AccountView | null>(null);
  return (
    <RecordPages<AccountView>
      title={words.title}
      path="/users"
      add={(reload) => <AddPerson onAdded={reload} />}
      record={(user, reload) => <Person key={user.id} user={user} onChanged={reload} onInvite={setInvited} />}
    >
      {invited && <InvitationDialog userId={invited.id} name={nameOf(invited)} onClose={() => setInvited(null)} />}
    </RecordPages>
  );
}

interface PersonProps {
  readonly user: AccountView;
  readonly onChanged: () => Promise<void>;
  readonly onInvite: (user: AccountView) => void;
}

function Person({ user, onChanged, onInvite }: PersonProps) {
  const [isBusy, setBusy] = useState(false);
  const isMe = caller.value?.user.id === user.id;
  // A user without an address stands behind a channel, and keeps its role.
  const isGiven = user.email !== null && GIVEN.some((role) => role === user.role);

  async function change(body: object): Promise<void> {
    setBusy(true);
    const answer = await callApi({ method: 'PATCH', path: `/users/${user.id}`, body });
    if (!answer.ok) say(refusalText(answer.failure), 'fault');
    await onChanged();
    setBusy(false);
  }
  return (
    <li class={user.isActive ? '' : 'off'} aria-busy={isBusy}>
      <span class="what">
        <strong>{nameOf(user)}</strong>
        <span class="soft">{user.email ?? words.noEmail}</span>
      </span>
      <span class="state soft">
        {!user.isActive && words.inactive}
        {user.isActive && user.email !== null && user.emailVerifiedAt === null && words.unverified}
      </span>
      {isGiven && !isMe ? (
        <select
          aria-label={`${words.role}: ${nameOf(user)}`}
          value={user.role}
          disabled={isBusy}
          onChange={({ currentTarget }) => void change({ role: currentTarget.value })}
        >
          <RoleOptions />
        </select>
      ) : (
        <span>{text.user.roles[user.role]}</span>
      )}
      <span class="actions">
        {user.isActive && user.email !== null && !isMe && (
          <Button disabled={isBusy} onClick={() => onInvite(user)}>
            {words.invite}
          </Button>
        )}
        {!isMe && (
          <Button kind="quiet" disabled={isBusy} onClick={() => void change({ isActive: !user.isActive })}>
            {user.isActive ? words.deactivate : words.activate}
          </Button>
        )}
      </span>
    </li>
  );
}

function RoleOptions() {
  return (
    <>
      {GIVEN.map((role) => (
        <option key={role} value={role}>
          {text.user.roles[role]}
        </option>
      ))}
    </>
  );
}

const EMPTY = { name: '', email: '', role: 'dispatcher' };

function AddPerson({ onAdded }: { readonly onAdded: () => Promise<void> }) {
  const [form, setForm] = useState(EMPTY);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const call = useKeyedCalls();

  const set = (name: keyof typeof EMPTY) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setForm({ ...form, [name]: event.currentTarget.value });

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    const body = { ...form, name: form.name.trim(), email: form.email.trim() };
    const answer = await call<AccountView>({ method: 'POST', path: '/users', body });
    setBusy(false);
    if (!answer.ok) return setProblem(refusalText(answer.failure));
    say(words.added(nameOf(answer.data)));
    // Text that was typed since stays.
    setForm((now) => (now === form ? EMPTY : now));
    await onAdded();
  }
  return (
    <form class="add-record" onSubmit={submit} aria-label={words.add}>
      <Field id="person-name" label={words.name}>
        {(props) => <input {...props} required value={form.name} onInput={set('name')} />}
      </Field>
      <Field id="person-email" label={words.email} error={problem}>
        {(props) => <input {...props} type="email" required value={form.email} onInput={set('email')} />}
      </Field>
      <Field id="person-role" label={words.role}>
        {(props) => (
          <select
            {...props}
            value={form.role}
            onChange={({ currentTarget }) => setForm({ ...form, role: currentTarget.value })}
          >
            <RoleOptions />
          </select>
        )}
      </Field>
      <Button type="submit" kind="main" busy={isBusy}>
        {words.submit}
      </Button>
    </form>
  );
}

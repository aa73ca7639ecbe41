import { useEffect, useState } from 'preact/hooks';
import type { Failure } from '../live/protocol.ts';
import { callApi, session, signIn, signOut } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { text } from '../text/english.ts';
import { Button, Field } from '../ui/controls.tsx';

const { signIn: words } = text;

interface ArrivingProps {
  readonly isCut: boolean;
  /** Why the service does not say who is here. */
  readonly refusal: Failure | null;
}

/** Before the service has said who is here. */
export function Arriving({ isCut, refusal }: ArrivingProps) {
  const waiting = isCut ? `${text.connection.noAnswer} ${text.connection.retrying}` : words.arriving;
  return (
    <main class="sign-in" aria-busy={refusal === null}>
      <div class="sheet">
        <p class="mark" aria-hidden="true" />
        <p role="status">{refusal ? refusalText(refusal) : waiting}</p>
        {refusal && <OtherAccount />}
      </div>
    </main>
  );
}

function OtherAccount() {
  return (
    <Button kind="main" onClick={signOut}>
      {words.other}
    </Button>
  );
}

/** An account that works for no organization, as a super administrator has, sees nothing here. */
export function NoOrganization({ email }: { readonly email: string | null }) {
  return (
    <main class="sign-in">
      <div class="sheet">
        <p class="mark" aria-hidden="true" />
        <h1>{words.noOrganizationTitle}</h1>
        <p>{words.noOrganization(email ?? '')}</p>
        <OtherAccount />
      </div>
    </main>
  );
}

export function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // Browsers heed `autofocus` once a page.
  useEffect(() => document.getElementById('sign-in-email')?.focus(), []);
  const why = session.value.state === 'signed-out' ? session.value.why : 'never';

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const answer = await signIn(email.trim(), password);
    setBusy(false);
    if (answer.ok) return;
    setError(answer.failure.status === 401 ? words.wrong : refusalText(answer.failure));
  }

  return (
    <main class="sign-in">
      <form onSubmit={submit} class="sheet">
        <p class="mark" aria-hidden="true" />
        <h1>{words.title}</h1>
        {why === 'ended' && <p class="say">{words.ended}</p>}
        {why === 'left' && <p class="say">{words.left}</p>}
        <Field id="sign-in-email" label={words.email}>
          {(props) => (
            <input
              {...props}
              type="email"
              autocomplete="username"
              required
              value={email}
              onInput={({ currentTarget }) => setEmail(currentTarget.value)}
            />
          )}
        </Field>
        <Field id="sign-in-password" label={words.password} error={error}>
          {(props) => (
            <input
              {...props}
              type="password"
              autocomplete="current-password"
              required
              value={password}
              onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" kind="main" busy={busy}>
          {busy ? words.busy : words.submit}
        </Button>
        <Forgotten email={email.trim()} onError={setError} />
      </form>
    </main>
  );
}

function Forgotten({ email, onError }: { readonly email: string; readonly onError: (words: string | null) => void }) {
  const [note, setNote] = useState<string | null>(null);
  async function sendLink(): Promise<void> {
    onError(email === '' ? words.needEmail : null);
    if (email === '') return;
    const answer = await callApi({ method: 'POST', path: '/auth/password-reset/request', body: { email } });
    setNote(answer.ok ? words.resetSent : refusalText(answer.failure));
  }
  return (
    <details>
      <summary>{words.forgotten}</summary>
      <Button kind="quiet" onClick={() => void sendLink()}>
        {words.reset}
      </Button>
      {note && <p role="status">{note}</p>}
    </details>
  );
}

import { useState } from 'preact/hooks';
import type { OrganizationView } from '../../../schema/accounts/organization.ts';
import { may } from '../page/link.ts';
import { settingsText } from '../text/english-settings.ts';
import { ownChanges, rebased } from './own-changes.ts';
import { type OrganizationProps, useSaving } from './save-organization.ts';
import { SaveBar, Setting } from './setting-parts.tsx';

const { organization: words } = settingsText;
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

interface Form {
  readonly name: string;
  readonly timeZone: string;
  readonly phone: string;
  readonly email: string;
}

function formOf({ name, settings }: OrganizationView): Form {
  const { phone, email } = (settings['contact'] ?? {}) as { phone?: string | null; email?: string | null };
  return { name, timeZone: String(settings['timeZone'] ?? 'UTC'), phone: phone ?? '', email: email ?? '' };
}

/** The body of the PATCH. An empty field removes what was in it. */
function changeOf({ name, timeZone, phone, email }: Partial<Form>): object {
  const orNull = (typed: string | undefined) => typed && (typed.trim() || null);
  const contact = { phone: orNull(phone), email: orNull(email) };
  return { name: name?.trim(), settings: { timeZone, contact } };
}

export function OrganizationSection(props: OrganizationProps) {
  const { organization } = props;
  const saved = formOf(organization);
  const [form, setForm] = useState(saved);
  const { isBusy, problem, setProblem, save } = useSaving(props);
  const isLocked = !may('organization');
  const isChanged = JSON.stringify(form) !== JSON.stringify(saved);
  const set = (name: keyof Form) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setForm({ ...form, [name]: event.currentTarget.value });

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const after = await save(changeOf(ownChanges(form, saved)));
    if (after) setForm((now) => rebased(now, form, formOf(after)));
  }
  function undo(): void {
    setForm(saved);
    setProblem(null);
  }
  const control = (name: 'name' | 'phone' | 'email') => ({
    id: name,
    value: form[name],
    disabled: isLocked,
    'aria-describedby': `${name}-hint`,
    onInput: set(name),
  });
  return (
    <form class="settings-form" onSubmit={submit}>
      <h2>{settingsText.sections.organization}</h2>
      {isLocked && <p class="say">{settingsText.readOnly}</p>}
      <Setting id="name" {...words.name}>
        <input {...control('name')} required />
      </Setting>
      <Setting id="timeZone" {...words.timeZone}>
        <select
          id="timeZone"
          value={form.timeZone}
          disabled={isLocked}
          aria-describedby="timeZone-hint"
          onChange={set('timeZone')}
        >
          {(ZONES.includes(form.timeZone) ? ZONES : [form.timeZone, ...ZONES]).map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </Setting>
      <Setting id="phone" {...words.phone}>
        <input {...control('phone')} type="tel" />
      </Setting>
      <Setting id="email" {...words.email}>
        <input {...control('email')} type="email" />
      </Setting>
      <Setting id="currency" {...words.currency}>
        <output id="currency">{organization.currency}</output>
      </Setting>
      <Limits organization={organization} />
      <SaveBar isChanged={isChanged} isBusy={isBusy} problem={problem} onUndo={undo} />
    </form>
  );
}

/** Only the operator changes them, so they are shown where there are any. */
function Limits({ organization }: { readonly organization: OrganizationView }) {
  const limits = Object.entries(organization.limits).filter(([, limit]) => limit !== null);
  if (limits.length === 0) return null;
  const hint = limits
    .map(([name, limit]) => `${limit!.toLocaleString('en')} ${words.resources[name] ?? name}`)
    .join(', ');
  return (
    <Setting id="limits" label={words.limits} hint={words.limit(hint)}>
      <output id="limits" />
    </Setting>
  );
}

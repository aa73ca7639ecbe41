import { useState } from 'preact/hooks';
import { may } from '../page/link.ts';
import { settingsText } from '../text/english-settings.ts';
import { changeOf, FLAG_FIELDS, faultsOf, formOf, NUMBER_FIELDS, type NumberField } from './assignment-fields.ts';
import { ownChanges, rebased } from './own-changes.ts';
import { type OrganizationProps, useSaving } from './save-organization.ts';
import { SaveBar, Setting } from './setting-parts.tsx';

const { assignment: words } = settingsText;

export function AssignmentSection(props: OrganizationProps) {
  const { settings } = props.organization;
  const saved = formOf(settings);
  const [form, setForm] = useState(saved);
  const [faults, setFaults] = useState<readonly NumberField[]>([]);
  const { isBusy, problem, setProblem, save } = useSaving(props);
  const isLocked = !may('organization');
  const isChanged = JSON.stringify(form) !== JSON.stringify(saved);

  function set(name: string, value: string | boolean): void {
    const next = { ...form, [name]: value };
    setForm(next);
    // A fault goes as soon as it is mended; a new one waits for the button.
    if (faults.length > 0) setFaults(faultsOf(next));
  }
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const wrong = faultsOf(form);
    setFaults(wrong);
    if (wrong.length > 0) return document.getElementById(wrong[0]!.name)?.focus();
    const after = await save({ settings: changeOf(ownChanges(form, saved)) });
    if (after) setForm((now) => rebased(now, form, formOf(after.settings)));
  }
  function undo(): void {
    setForm(saved);
    setFaults([]);
    setProblem(null);
  }
  return (
    <form class="settings-form" onSubmit={submit} noValidate>
      <h2>{settingsText.sections.assignment}</h2>
      {isLocked && <p class="say">{settingsText.readOnly}</p>}
      <ModeSetting mode={String(form['mode'])} isLocked={isLocked} onChange={(mode) => set('mode', mode)} />
      {NUMBER_FIELDS.map((field) => (
        <NumberSetting
          key={field.name}
          field={field}
          value={String(form[field.name])}
          isWrong={faults.includes(field)}
          isLocked={isLocked}
          onChange={(value) => set(field.name, value)}
        />
      ))}
      {FLAG_FIELDS.map((name) => (
        <Setting key={name} id={name} {...words.flags[name]}>
          <input
            id={name}
            type="checkbox"
            checked={form[name] === true}
            disabled={isLocked}
            aria-describedby={`${name}-hint`}
            onChange={({ currentTarget }) => set(name, currentTarget.checked)}
          />
        </Setting>
      ))}
      <SaveBar isChanged={isChanged} isBusy={isBusy} problem={problem} onUndo={undo} />
    </form>
  );
}

interface ModeProps {
  readonly mode: string;
  readonly isLocked: boolean;
  readonly onChange: (mode: string) => void;
}

function ModeSetting({ mode, isLocked, onChange }: ModeProps) {
  return (
    <Setting id="mode" {...words.mode}>
      <select
        id="mode"
        value={mode}
        disabled={isLocked}
        aria-describedby="mode-hint"
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {Object.entries(words.modes).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </Setting>
  );
}

interface NumberProps {
  readonly field: NumberField;
  readonly value: string;
  readonly isWrong: boolean;
  readonly isLocked: boolean;
  readonly onChange: (value: string) => void;
}

/** Empty stands for the default, which the field shows. */
function NumberSetting({ field, value, isWrong, isLocked, onChange }: NumberProps) {
  const { name, min, max, standard } = field;
  const { unit, ...explained } = words.numbers[name];
  const error = isWrong ? words.between(min, max) : undefined;
  return (
    <Setting id={name} {...explained} error={error}>
      <span class="with-unit">
        <input
          id={name}
          inputMode="numeric"
          value={value}
          disabled={isLocked}
          placeholder={words.standard(standard === null ? words.none : standard.toLocaleString('en'))}
          aria-describedby={`${name}-hint`}
          aria-invalid={isWrong}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {unit !== '' && <span class="soft">{unit}</span>}
      </span>
    </Setting>
  );
}

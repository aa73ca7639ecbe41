import { useState } from 'preact/hooks';
import { AttentionBadge } from '../attention/attention-badge.tsx';
import { caller, figures, signOut } from '../page/link.ts';
import { type changeList, go, NO_LIST_FILTER, showList, type Theme, theme, type View, view } from '../page/state.ts';
import { text } from '../text/english.ts';
import { attention } from '../text/english-attention.ts';
import { settingsText } from '../text/english-settings.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { lead } from '../ui/lead.ts';
import { ConnectionChip } from './connection-chip.tsx';

const NAV: readonly (readonly [View, string, IconName])[] = [
  ['map', text.nav.map, 'map'],
  ['board', text.nav.board, 'board'],
  ['attention', attention.title, 'risk'],
  ['couriers', text.nav.couriers, 'users'],
  ['charts', text.nav.charts, 'chart'],
  ['settings', settingsText.title, 'settings'],
];
const NO_FILTER = { ...NO_LIST_FILTER, withDone: false } as const;

export function Header() {
  const organization = caller.value?.organization?.name ?? '';
  return (
    <header class="top">
      <div class="brand">
        <span class="mark" aria-hidden="true" />
        <span class="organization" title={organization}>
          {organization}
        </span>
      </div>
      <nav aria-label={text.nav.label}>
        {NAV.map(([name, label, icon]) => (
          <a
            key={name}
            href={name === 'map' ? '/console' : `/console/${name}`}
            aria-current={view.value === name ? 'page' : undefined}
            onClick={(event) => lead(event, () => go(name))}
          >
            <Icon name={icon} />
            <span>{label}</span>
            {name === 'attention' && <AttentionBadge />}
          </a>
        ))}
      </nav>
      <Figures />
      <ConnectionChip />
      <Account />
    </header>
  );
}

function show(filter: Parameters<typeof changeList>[0]): void {
  showList({ ...NO_FILTER, ...filter });
}

function Figures() {
  const now = figures.value;
  const { figures: words } = text;
  const dash = '–';
  return (
    <section class="figures" aria-label={words.label}>
      <Figure label={words.open} value={now?.open ?? dash} onClick={() => show({})} />
      <Figure
        label={words.unassigned}
        value={now?.unassigned ?? dash}
        tone={now?.unassigned ? 'wait' : ''}
        onClick={() => show({ statuses: ['new', 'awaiting_assignment'] })}
      />
      <Figure
        label={words.late}
        value={now?.late ?? dash}
        tone={now?.late ? 'late' : ''}
        onClick={() => show({ onlyLate: true })}
      />
      <Figure
        label={words.onTime}
        value={now ? words.of(now.onTimeToday, now.doneToday) : dash}
        onClick={() => show({ ended: 'on-time' })}
      />
      <Figure label={words.failed} value={now?.failedToday ?? dash} onClick={() => show({ ended: 'failed' })} />
      <Figure label={words.onDuty} value={now?.onDuty ?? dash} onClick={() => go('couriers')} />
      <Figure label={words.free} value={now?.free ?? dash} onClick={() => go('couriers')} />
    </section>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string | number;
  readonly tone?: string;
  readonly onClick: () => void;
}

function Figure({ label, value, tone = '', onClick }: FigureProps) {
  return (
    <button type="button" class={`figure ${tone}`} onClick={onClick}>
      <span class="value">{typeof value === 'number' ? value.toLocaleString('en') : value}</span>
      <span class="label">{label}</span>
    </button>
  );
}

function Account() {
  const [open, setOpen] = useState(false);
  if (!caller.value) return null;
  const { user, permissions } = caller.value;
  const name = `${user.firstName} ${user.lastName}`;
  const leave = (event: FocusEvent) => {
    const { currentTarget, relatedTarget } = event;
    if (!(currentTarget as HTMLElement).contains(relatedTarget as Node | null)) setOpen(false);
  };
  const closeAt = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return;
    setOpen(false);
    // It is for the menu alone: the selection and the open task stay.
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape and a focus that leaves close the menu inside.
    <div class="account" onFocusOut={leave} onKeyDown={closeAt}>
      <button type="button" class="avatar" aria-expanded={open} title={name} onClick={() => setOpen(!open)}>
        {`${user.firstName.slice(0, 1)}${user.lastName.slice(0, 1)}`}
        <span class="hidden">
          {text.user.open}: {name}
        </span>
      </button>
      {open && (
        <div class="menu">
          <p class="who">
            <strong>{name}</strong>
            <span>{user.email}</span>
            <span>
              {text.user.roles[user.role]} · {text.user.rights(permissions.length)}
            </span>
          </p>
          <fieldset>
            <legend>{text.user.theme}</legend>
            {(['system', 'light', 'dark'] as const).map((name: Theme) => (
              <label key={name}>
                <input
                  type="radio"
                  name="theme"
                  checked={theme.value === name}
                  onChange={() => {
                    theme.value = name;
                  }}
                />
                {text.user.themes[name]}
              </label>
            ))}
          </fieldset>
          <button type="button" class="button plain" onClick={signOut}>
            {text.user.signOut}
          </button>
        </div>
      )}
    </div>
  );
}

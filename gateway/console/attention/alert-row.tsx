import { useState } from 'preact/hooks';
import { spanOf } from '../page/format.ts';
import { couriers } from '../page/link.ts';
import { agentId, go, taskId } from '../page/state.ts';
import { attention } from '../text/english-attention.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { say } from '../ui/toasts.tsx';
import type { Alert, AlertKind } from './alerts.ts';

const ICONS: Readonly<Record<AlertKind, IconName>> = {
  late: 'clock',
  nobody: 'radar',
  'lost-courier': 'cut',
  'left-courier': 'user',
  'at-risk': 'risk',
  failed: 'failed',
  webhook: 'external',
};

interface Props {
  readonly alert: Alert;
  /** Its cause is gone, and the list is held. */
  readonly isGone: boolean;
  /** The keyboard enters the list here. */
  readonly isFirst: boolean;
  readonly nowMs: number;
  readonly onMended: () => void;
}

export function AlertRow({ alert, isGone, isFirst, nowMs, onMended }: Props) {
  const [isBusy, setBusy] = useState(false);
  const { remedy } = alert;

  async function mend(): Promise<void> {
    if (!remedy || isBusy || isGone) return;
    setBusy(true);
    const outcome = await remedy.run();
    setBusy(false);
    if (!outcome) return;
    const { isDone, words } = outcome;
    say(words, isDone ? 'note' : 'fault');
    if (isDone) onMended();
  }

  function press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const act = event.key === 'Enter' ? () => open(alert) : event.key === remedy?.key ? () => void mend() : undefined;
    if (!act) return;
    event.preventDefault();
    // A key that is held must not try a refused remedy again and again.
    if (!event.repeat) act();
  }
  return (
    <li
      class={`alert ${alert.kind} ${isGone ? 'gone' : ''}`}
      tabIndex={isFirst ? 0 : -1}
      aria-keyshortcuts={remedy ? `Enter ${remedy.key}` : 'Enter'}
      onKeyDown={press}
    >
      <Icon name={isGone ? 'check' : ICONS[alert.kind]} />
      <span class="what">
        <span class="first">
          <button type="button" class="link" disabled={alert.kind === 'webhook'} onClick={() => open(alert)}>
            <bdi>{alert.title}</bdi>
          </button>
          {alert.code && <span class="soft">{alert.code}</span>}
        </span>
        <span class="second" dir="auto">
          {alert.why}
        </span>
      </span>
      <span class="kind">
        <span>{isGone ? attention.resolved : attention.kinds[alert.kind]}</span>
        <Since alert={alert} nowMs={nowMs} />
      </span>
      <span class="remedies">
        {!isGone && <Call alert={alert} />}
        {!isGone && remedy && (
          <button type="button" class="button plain" aria-busy={isBusy} onClick={() => void mend()}>
            {attention.remedies[remedy.name]} <kbd>{remedy.key}</kbd>
          </button>
        )}
      </span>
    </li>
  );
}

const MINUTE_MS = 60_000;

/** A task at risk counts down to its due time; any other trouble has begun at some time. */
function Since({ alert: { kind, sinceMs }, nowMs }: { readonly alert: Alert; readonly nowMs: number }) {
  if (sinceMs === null) return null;
  const span = spanOf(nowMs - sinceMs);
  const words = () => {
    if (kind === 'at-risk') return attention.left(span);
    if (nowMs - sinceMs < MINUTE_MS) return attention.justNow;
    return kind === 'failed' ? attention.ago(span) : attention.since(span);
  };
  return <span class="second">{words()}</span>;
}

/** Only the courier knows what holds up a task that is on its way. */
function Call({ alert }: { readonly alert: Alert }) {
  const courier = couriers.value.find(({ id }) => id === alert.agentId);
  if (!courier?.phone) return null;
  return (
    <a
      class="button quiet"
      href={`tel:${courier.phone.replaceAll(/[^+\d]/g, '')}`}
      aria-label={attention.callName(courier.name)}
    >
      <Icon name="phone" />
      {attention.call}
    </a>
  );
}

function open(alert: Alert): void {
  if (alert.kind === 'webhook') return;
  if (alert.taskId !== null) taskId.value = alert.taskId;
  else agentId.value = alert.agentId;
  go('map');
}

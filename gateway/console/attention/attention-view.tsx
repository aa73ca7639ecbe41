import { useMemo, useRef, useState } from 'preact/hooks';
import { EXCEPTION_KINDS } from '../live/protocol.ts';
import { callApi, exceptions, may } from '../page/link.ts';
import { ofUser } from '../page/of-user.ts';
import { nowMs } from '../page/state.ts';
import { attention } from '../text/english-attention.ts';
import { Empty } from '../ui/controls.tsx';
import { AlertRow } from './alert-row.tsx';
import { type Alert, type AlertKind, alertOf, webhookAlert } from './alerts.ts';
import { useWebhooks, webhookProblem, webhooks } from './disabled-webhooks.ts';
import { type HeldItem, heldOrder } from './held-order.ts';

const KINDS: readonly AlertKind[] = [...EXCEPTION_KINDS, 'webhook'];
const chosen = ofUser<AlertKind | null>(null);
const means = { ask: callApi, may };

/** The inbox of what does not go as planned: one list, with the remedy on each line. */
export function AttentionView() {
  const refreshWebhooks = useWebhooks();
  const now = exceptions.value;
  const alerts = useMemo((): Alert[] => {
    const ofWebhooks = webhooks.value.flatMap((each) => webhookAlert(each, means) ?? []);
    return [...(now?.items ?? []).map((each) => alertOf(each, means)), ...ofWebhooks];
  }, [now, webhooks.value]);
  if (!now) return <main class="attention" aria-busy="true" />;
  const counts: Readonly<Record<AlertKind, number>> = {
    ...now.counts,
    webhook: alerts.filter(({ kind }) => kind === 'webhook').length,
  };
  const total = now.total + counts.webhook;
  return (
    <main class="attention">
      <header>
        <h1>{attention.title}</h1>
        {total > 0 && <Kinds counts={counts} total={total} />}
      </header>
      {webhookProblem.value !== null && (
        <p class="say" role="status">
          {webhookProblem.value}
        </p>
      )}
      {total === 0 ? (
        <Empty title={attention.emptyTitle}>{attention.empty}</Empty>
      ) : (
        <AlertList alerts={alerts} counts={counts} total={total} onMended={refreshWebhooks} />
      )}
    </main>
  );
}

function Kinds({ counts, total }: Totals) {
  const chip = (kind: AlertKind | null, label: string, count: number) => (
    <button
      key={label}
      type="button"
      class={`toggle ${kind === 'late' ? 'late' : ''}`}
      aria-pressed={chosen.value === kind}
      onClick={() => {
        chosen.value = kind;
      }}
    >
      {label} <span class="number">{count.toLocaleString('en')}</span>
    </button>
  );
  return (
    <fieldset class="kinds">
      <legend class="hidden">{attention.filter}</legend>
      {chip(null, attention.all, total)}
      {KINDS.filter((kind) => counts[kind] > 0 || chosen.value === kind).map((kind) =>
        chip(kind, attention.kinds[kind], counts[kind]),
      )}
    </fieldset>
  );
}

interface Totals {
  /** Also of those that the worker does not list. */
  readonly counts: Readonly<Record<AlertKind, number>>;
  readonly total: number;
}

interface ListProps extends Totals {
  readonly alerts: readonly Alert[];
  readonly onMended: () => void;
}

/** Nothing moves while it is pointed at or the keyboard is in it. */
function AlertList({ alerts, counts, total, onMended }: ListProps) {
  const [isHeld, hold] = useState(false);
  const before = useRef<{ readonly kind: AlertKind | null; readonly shown: readonly HeldItem<Alert>[] } | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const kind = chosen.value;
  const present = kind === null ? alerts : alerts.filter((alert) => alert.kind === kind);
  const hidden = (kind === null ? total : counts[kind]) - present.length;
  const { shown, waiting } = heldOrder(before.current?.shown ?? [], present, isHeld && before.current?.kind === kind);
  before.current = { kind, shown };

  const rows = () => [...list.current!.querySelectorAll<HTMLElement>('.alert')];
  function move(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Once the keyboard has left it, the list goes on.
    if (event.key === 'Escape') return (document.activeElement as HTMLElement).blur();
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const all = rows();
    const at = all.findIndex((row) => row.contains(document.activeElement));
    all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
  }
  const left = ({ relatedTarget }: FocusEvent) => {
    if (!list.current?.contains(relatedTarget as Node | null)) hold(false);
  };
  return (
    <>
      {waiting > 0 && (
        <button type="button" class="waiting" onClick={() => hold(false)}>
          {attention.waiting(waiting)}
        </button>
      )}
      {shown.length === 0 && <p class="say">{attention.noneOfKind}</p>}
      <ol
        ref={list}
        class="alerts"
        aria-label={attention.label}
        onKeyDown={move}
        onFocusIn={() => hold(true)}
        onFocusOut={left}
        onPointerEnter={({ pointerType }) => pointerType === 'mouse' && hold(true)}
        onPointerLeave={() => !list.current?.contains(document.activeElement) && hold(false)}
      >
        {shown.map(({ item, isGone }, index) => (
          <AlertRow
            key={item.key}
            alert={item}
            isGone={isGone}
            isFirst={index === 0}
            nowMs={nowMs.value}
            onMended={onMended}
          />
        ))}
      </ol>
      {hidden > 0 && <p class="soft">{attention.more(hidden)}</p>}
    </>
  );
}

import { useEffect, useState } from 'preact/hooks';
import type { DeliveryState, DeliveryView } from '../../../schema/notices/webhook.ts';
import { clockOf, timeOf } from '../page/format.ts';
import { may } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { nowMs } from '../page/state.ts';
import { Waiting } from '../records/record-parts.tsx';
import { useKeyedCalls } from '../records/use-keyed-calls.ts';
import { useRecord } from '../records/use-record.ts';
import { webhooksText } from '../text/english-webhooks.ts';
import { Button } from '../ui/controls.tsx';
import { say } from '../ui/toasts.tsx';
import { isAwaited } from './is-awaited.ts';

const { deliveries: words } = webhooksText;
const PAGE = 25;
/** No event announces an attempt, so deliveries that wait for one are read again. */
const AGAIN_MS = 2_000;
const STATES: readonly DeliveryState[] = ['pending', 'succeeded', 'failed'];

interface Page {
  readonly items: readonly DeliveryView[];
  readonly nextCursor: string | null;
}

/** The deliveries to a webhook, newest first. `orders` changes with each new order. */
export function Deliveries({ webhookId, orders }: { readonly webhookId: number; readonly orders: number }) {
  const [state, setState] = useState<DeliveryState | ''>('');
  const [older, setOlder] = useState<readonly string[]>([]);
  const path = `/webhooks/${webhookId}/deliveries?limit=${PAGE}${state === '' ? '' : `&state=${state}`}`;
  return (
    <section class="deliveries" aria-label={words.title}>
      <header>
        <h3>{words.title}</h3>
        <label>
          <span class="soft">{words.state}</span>
          <select
            value={state}
            onChange={({ currentTarget }) => {
              setState(currentTarget.value as DeliveryState);
              setOlder([]);
            }}
          >
            <option value="">{words.all}</option>
            {STATES.map((each) => (
              <option key={each} value={each}>
                {words.states[each]}
              </option>
            ))}
          </select>
        </label>
      </header>
      {['', ...older].map((cursor, index) => (
        <DeliveryPage
          key={`${path} ${cursor}`}
          path={cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`}
          none={state === '' ? words.empty : words.none}
          orders={orders}
          isLast={index === older.length}
          onOlder={(next) => setOlder([...older, next])}
        />
      ))}
    </section>
  );
}

interface PageProps {
  readonly path: string;
  readonly none: string;
  readonly orders: number;
  readonly isLast: boolean;
  readonly onOlder: (cursor: string) => void;
}

function DeliveryPage({ path, none, orders, isLast, onOlder }: PageProps) {
  const { data, problem, reload } = useRecord<Page>(path);
  const isWaiting = data?.items.some(isAwaited);
  useEffect(() => {
    if (orders > 0) void reload();
  }, [orders]);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void reload(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isWaiting, reload]);
  if (!data) return <Waiting problem={problem} reload={reload} />;
  if (data.items.length === 0) return <p class="say">{none}</p>;
  return (
    <>
      <ul class="records">
        {data.items.map((delivery) => (
          <DeliveryItem key={delivery.id} delivery={delivery} onOrdered={reload} />
        ))}
      </ul>
      {isLast && data.nextCursor !== null && <Button onClick={() => onOlder(data.nextCursor!)}>{words.more}</Button>}
    </>
  );
}

interface ItemProps {
  readonly delivery: DeliveryView;
  readonly onOrdered: () => Promise<void>;
}

function DeliveryItem({ delivery, onOrdered }: ItemProps) {
  const [isBusy, setBusy] = useState(false);
  const call = useKeyedCalls();
  const { id, type, state, attempt, attempts, nextAttemptAt, createdAt, eventId, request } = delivery;
  async function sendAgain(): Promise<void> {
    setBusy(true);
    const answer = await call({ method: 'POST', path: `/webhooks/deliveries/${id}/redeliver` });
    setBusy(false);
    if (!answer.ok) return say(refusalText(answer.failure), 'fault');
    say(words.ordered);
    await onOrdered();
  }
  const last = attempts.at(-1);
  const facts = [
    words.attempts(attempt),
    last && (last.status ?? last.error ?? words.noAnswer),
    state === 'pending' && nextAttemptAt !== null && nextOf(Date.parse(nextAttemptAt)),
  ].filter(Boolean);
  return (
    <li class="delivery">
      <details>
        <summary>
          <span class={`delivery-state ${state}`}>{words.states[state]}</span>
          <code dir="ltr">{type}</code>
          <span class="soft facts">{facts.join(' · ')}</span>
          <time class="soft">{timeOf(Date.parse(createdAt))}</time>
        </summary>
        <ol class="attempts">
          {attempts.map(({ at, status, error, excerpt, durationMs }) => (
            <li key={at}>
              <span>{clockOf(Date.parse(at))}</span>
              <span>{status ?? error ?? words.noAnswer}</span>
              <span class="soft">{words.took(durationMs)}</span>
              {excerpt && <code dir="auto">{excerpt}</code>}
            </li>
          ))}
        </ol>
        <p class="soft">
          {words.event} <code dir="ltr">{eventId}</code>
        </p>
        <h4>{words.payload}</h4>
        {request.body === null ? (
          <p class="say">{words.expired}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a payload scrolls, so the keyboard has to reach it.
          <pre dir="ltr" tabIndex={0}>
            {JSON.stringify(request.body, null, 2)}
          </pre>
        )}
        {may('webhooks') && state !== 'pending' && (
          <p>
            <Button busy={isBusy} onClick={() => void sendAgain()}>
              {words.again}
            </Button>
          </p>
        )}
      </details>
    </li>
  );
}

/** Behind another one that fails, a delivery waits longer than its time. */
function nextOf(atMs: number): string {
  return atMs > nowMs.value ? words.next(timeOf(atMs)) : words.waits;
}

import { useEffect, useRef, useState } from 'preact/hooks';
import type { DeliveryView } from '../../../schema/notices/webhook.ts';
import { timeOf } from '../page/format.ts';
import { callApi, may } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { chartsText } from '../text/english-charts.ts';
import { Button } from '../ui/controls.tsx';
import { NEWEST, type Row, readRows, STEP } from './webhook-rows.ts';

const { webhooks: words } = chartsText;
const AGAIN_MS = 30_000;

/** The newest deliveries of webhooks, for those who may see them. */
export function WebhookSuccess() {
  const isShown = may('webhooks:read');
  const [rows, setRows] = useState<readonly Row[] | null>(null);
  const [limit, setLimit] = useState(STEP);
  const known = useRef<readonly Row[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!isShown) return;
    let isCurrent = true;
    const read = async () => {
      const answer = await readRows(known.current, limit, (path) => callApi({ method: 'GET', path }));
      if (!isCurrent) return;
      if (answer.ok) {
        known.current = answer.data;
        setRows(answer.data);
      }
      setProblem(answer.ok ? null : refusalText(answer.failure));
    };
    void read();
    const timer = setInterval(() => void read(), AGAIN_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [isShown, limit]);
  if (!isShown) return null;
  return (
    <section class="chart" aria-label={words.title}>
      <header>
        <h2>{words.title}</h2>
        <p class="soft">{words.made(NEWEST)}</p>
      </header>
      {problem !== null && <p class="fault">{problem}</p>}
      {rows?.length === 0 && <p class="say chart-few">{words.none}</p>}
      {rows && rows.length > 0 && <Rows rows={rows.slice(0, limit)} />}
      {rows && rows.length > limit && (
        <Button kind="quiet" onClick={() => setLimit(limit + STEP)}>
          {words.more(Math.min(STEP, rows.length - limit))}
        </Button>
      )}
    </section>
  );
}

function Rows({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <table class="webhook-success">
      <thead>
        <tr>
          <th scope="col">{words.endpoint}</th>
          <th scope="col">{words.share}</th>
          <th scope="col">{words.failed}</th>
          <th scope="col">{words.pending}</th>
          <th scope="col">{words.since}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(
          ({ webhook, deliveries }) =>
            deliveries && <RowOf key={webhook.id} webhook={webhook} deliveries={deliveries} />,
        )}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly webhook: Row['webhook'];
  readonly deliveries: readonly DeliveryView[];
}

function RowOf({ webhook, deliveries }: RowProps) {
  const count = (state: DeliveryView['state']) => deliveries.filter((each) => each.state === state).length;
  const [succeeded, failed] = [count('succeeded'), count('failed')];
  const judged = succeeded + failed;
  const oldest = deliveries.at(-1);
  return (
    <tr>
      <th scope="row">
        <bdi title={webhook.url}>{webhook.description ?? new URL(webhook.url).host}</bdi>
      </th>
      {oldest ? (
        <>
          <td>
            {judged === 0 ? (
              chartsText.nothing
            ) : (
              <>
                <span class="share-bar" aria-hidden="true">
                  <span style={{ width: `${(100 * succeeded) / judged}%` }} />
                </span>
                {chartsText.percent((100 * succeeded) / judged)}
              </>
            )}
          </td>
          <td>{failed}</td>
          <td>{count('pending')}</td>
          <td>{timeOf(Date.parse(oldest.createdAt))}</td>
        </>
      ) : (
        <td colSpan={4}>{words.noDelivery}</td>
      )}
    </tr>
  );
}

import { useEffect, useState } from 'preact/hooks';
import type { DeliveryView, WebhookView } from '../../../schema/notices/webhook.ts';
import { timeOf } from '../page/format.ts';
import { callApi, may } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { chartsText } from '../text/english-charts.ts';

const { webhooks: words } = chartsText;
const WEBHOOKS = 20;
const NEWEST = 100;
const AGAIN_MS = 30_000;

interface Row {
  readonly webhook: WebhookView;
  readonly deliveries: readonly DeliveryView[];
}

/** The newest deliveries of each webhook, for those who may see them. */
export function WebhookSuccess() {
  const isShown = may('webhooks:read');
  const [rows, setRows] = useState<readonly Row[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!isShown) return;
    let isCurrent = true;
    const read = async () => {
      const answer = await readRows();
      if (!isCurrent) return;
      if (Array.isArray(answer)) setRows(answer);
      setProblem(Array.isArray(answer) ? null : answer);
    };
    void read();
    const timer = setInterval(() => void read(), AGAIN_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [isShown]);
  if (!isShown) return null;
  return (
    <section class="chart" aria-label={words.title}>
      <header>
        <h2>{words.title}</h2>
        <p class="soft">{words.made(NEWEST)}</p>
      </header>
      {problem !== null && <p class="fault">{problem}</p>}
      {rows?.length === 0 && <p class="say chart-few">{words.none}</p>}
      {rows && rows.length > 0 && <Rows rows={rows} />}
    </section>
  );
}

/** The rows, or why they could not be read. */
async function readRows(): Promise<Row[] | string> {
  const list = await callApi<{ items: WebhookView[] }>({ method: 'GET', path: `/webhooks?limit=${WEBHOOKS}` });
  if (!list.ok) return refusalText(list.failure);
  const rows: Row[] = [];
  for (const webhook of list.data.items) {
    const path = `/webhooks/${webhook.id}/deliveries?limit=${NEWEST}`;
    const answer = await callApi<{ items: DeliveryView[] }>({ method: 'GET', path });
    if (!answer.ok) return refusalText(answer.failure);
    rows.push({ webhook, deliveries: answer.data.items });
  }
  return rows;
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
        {rows.map((row) => (
          <RowOf key={row.webhook.id} {...row} />
        ))}
      </tbody>
    </table>
  );
}

function RowOf({ webhook, deliveries }: Row) {
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

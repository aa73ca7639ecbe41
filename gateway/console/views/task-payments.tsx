import { useEffect, useState } from 'preact/hooks';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { timeOf } from '../page/format.ts';
import { callApi, may, readFile } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { isCutOff } from '../page/state.ts';
import { MOST_PAYMENTS, type PaymentsOfTask, paymentsOf } from '../records/task-payments.ts';
import { evidence as words } from '../text/english-evidence.ts';
import { Icon } from '../ui/icon.tsx';
import { say } from '../ui/toasts.tsx';

/** The payments of a task. They are read again whenever the task or one of them changes. */
export function TaskPayments(props: Props) {
  return may('payments:read') ? <Payments {...props} /> : null;
}

interface Props {
  readonly task: TaskView;
  readonly version: string;
}

function Payments({ task: { id, paymentId }, version }: Props) {
  const [shown, setShown] = useState<(PaymentsOfTask & { readonly of: number }) | null>(null);
  const isCut = isCutOff.value;
  useEffect(() => {
    if (isCut) return;
    let isCurrent = true;
    void paymentsOf({ id, paymentId }, (path) => callApi({ method: 'GET', path })).then((answer) => {
      if (isCurrent && answer.ok) setShown({ of: id, ...answer.data });
    });
    return () => {
      isCurrent = false;
    };
  }, [id, paymentId, version, isCut]);
  if (shown?.of !== id || shown.items.length === 0) return null;
  return (
    <section class="packages">
      <h3>{words.payments}</h3>
      <ul>
        {shown.items.map((payment) => (
          <li key={payment.id}>
            <Icon name="money" />
            <span>
              {payment.amount} {payment.currency}
              <span class="soft">
                {[
                  words.methods[payment.method],
                  payment.taskId !== id && words.ofFailed,
                  timeOf(Date.parse(payment.updatedAt)),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
              {payment.status === 'pending' && payment.checkoutUrl !== null && (
                <a class="link" href={payment.checkoutUrl} target="_blank" rel="noreferrer">
                  {words.checkout}
                </a>
              )}
            </span>
            <span class="soft">{words.statuses[payment.status]}</span>
          </li>
        ))}
      </ul>
      {shown.hasMore && <p class="say">{words.morePayments(MOST_PAYMENTS)}</p>}
    </section>
  );
}

/** Saves the receipt as a file, which a browser prints: a page of its own would come without the credential. */
export function ReceiptLink({ task }: { readonly task: TaskView }) {
  const [isBusy, setBusy] = useState(false);
  async function save(): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    const answer = await readFile(`/tasks/${task.id}/print/receipt`);
    setBusy(false);
    if (!answer.ok) return say(refusalText(answer.failure), 'fault');
    const link = document.createElement('a');
    link.href = answer.data;
    link.download = `${task.code}.html`;
    link.click();
  }
  return (
    <button type="button" class="link" aria-busy={isBusy} onClick={() => void save()}>
      {words.receipt}
    </button>
  );
}

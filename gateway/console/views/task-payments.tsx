import { useEffect, useState } from 'preact/hooks';
import type { PaymentView } from '../../../schema/money/payment.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { timeOf } from '../page/format.ts';
import { may, readFile } from '../page/link.ts';
import { refusalText } from '../page/refusals.ts';
import { useRecord } from '../records/use-record.ts';
import { evidence as words } from '../text/english-evidence.ts';
import { Icon } from '../ui/icon.tsx';
import { say } from '../ui/toasts.tsx';

/** The payments of a task. They are read again whenever the task or one of them changes. */
export function TaskPayments({ taskId, version }: { readonly taskId: number; readonly version: string }) {
  return may('payments:read') ? <Payments taskId={taskId} version={version} /> : null;
}

function Payments({ taskId, version }: { readonly taskId: number; readonly version: string }) {
  const { data, reload } = useRecord<{ readonly items: readonly PaymentView[] }>(`/payments?taskId=${taskId}`);
  useEffect(() => {
    void reload();
  }, [version, reload]);
  if (!data || data.items.length === 0) return null;
  return (
    <section class="packages">
      <h3>{words.payments}</h3>
      <ul>
        {data.items.map((payment) => (
          <li key={payment.id}>
            <Icon name="money" />
            <span>
              {payment.amount} {payment.currency}
              <span class="soft">
                {words.methods[payment.method]} · {timeOf(Date.parse(payment.updatedAt))}
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

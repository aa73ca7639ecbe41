import type { PaymentView } from '../../../schema/money/payment.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { Answer } from '../live/protocol.ts';
import { type ListPage, listPages } from './list-pages.ts';

/** The panel reads so many at most: a task has a few, unless it is paid and refunded again and again. */
export const MOST_PAYMENTS = 300;

export interface PaymentsOfTask {
  /** The newest first. */
  readonly items: readonly PaymentView[];
  /** The task has more than these. */
  readonly hasMore: boolean;
}

type Read = <T>(path: string) => Promise<Answer<T>>;

/**
 * The payments that were made for a task, and the one that counts for it: a task that is attempted again has the payment
 * of the failed one.
 */
export async function paymentsOf(
  { id, paymentId }: Pick<TaskView, 'id' | 'paymentId'>,
  read: Read,
): Promise<Answer<PaymentsOfTask>> {
  const items: PaymentView[] = [];
  let hasMore = false;
  for await (const answer of listPages<PaymentView>(`/payments?taskId=${id}`, read<ListPage<PaymentView>>)) {
    if (!answer.ok) return answer;
    items.push(...answer.data.items);
    hasMore = answer.data.nextCursor !== null;
    if (items.length >= MOST_PAYMENTS) break;
  }
  if (paymentId !== null && !items.some((payment) => payment.id === paymentId)) {
    const answer = await read<PaymentView>(`/payments/${paymentId}`);
    if (!answer.ok) return answer;
    items.push(answer.data);
  }
  return { ok: true, status: 200, data: { items, hasMore } };
}

import type { Engine } from '../../engine/org/start-engine.ts';
import { isoTime, systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { Turns } from '../../engine/runtime/turns.ts';
import { readOrganization } from '../../engine/store/accounts/organization-store.ts';
import { readPayment } from '../../engine/store/payments/payment-store.ts';
import type { Html } from '../../engine/views/parts/html.ts';
import { type Letterhead, letterheadOf } from '../../schema/accounts/letterhead.ts';
import type { PaperWidth } from '../../schema/customers/receipt.ts';
import { refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PaymentRecord } from '../../schema/money/payment.ts';
import type { TaskView } from '../../schema/tasks/task-view.ts';
import { FairQueue } from '../fair-queue.ts';
import { openCodeSymbols } from '../pages/code-symbols.ts';
import type { Reads } from '../reads.ts';
import { RefusalError } from '../refusal-error.ts';
import type { Identity } from '../route.ts';
import { receiptOf, receiptPage } from './receipt-page.ts';

/**
 * Prints receipts. Drawing the codes of one takes some 6 ms, so that few documents are made at a time, and other work has
 * its turn between any two receipts.
 */
export class ReceiptPrinter {
  readonly #engine: Pick<Engine, 'ask'>;
  readonly #reads: Reads;
  readonly #documents = new FairQueue({
    atOnce: LIMITS.receiptDocumentsAtOnce,
    waiting: LIMITS.receiptDocumentsWaiting,
    waitingOfOne: LIMITS.receiptDocumentsWaitingOfOne,
    patience: { ms: LIMITS.receiptPatienceMs, scheduler: systemScheduler },
    full: () => refusal('OVERLOADED'),
  });
  readonly #turns = new Turns(systemClock, systemScheduler);

  constructor(engine: Pick<Engine, 'ask'>, reads: Reads) {
    this.#engine = engine;
    this.#reads = reads;
  }

  /**
   * The receipts of tasks in one document, in the order of their ids. Rejects with a RefusalError: of the first task that
   * the caller cannot see, of too much text for one document, and 503 when too many print.
   */
  print(identity: Identity, taskIds: readonly number[], width: PaperWidth): Promise<string> {
    const { organizationId } = identity;
    return this.#documents.run(organizationId, async () => {
      const [tasks, letterhead, symbols] = await Promise.all([
        this.#readTasks(identity, taskIds),
        this.#readLetterhead(organizationId),
        openCodeSymbols(),
      ]);
      const printing = { letterhead, width, printedAt: isoTime(systemClock.now()), symbols };
      const receipts: Html[] = [];
      for (const json of tasks) {
        const task = JSON.parse(json) as TaskView;
        const payment = await this.#readPayment(organizationId, task);
        await this.#turns.next();
        receipts.push(receiptOf({ task, payment }, printing));
      }
      return receiptPage(width, receipts);
    });
  }

  /** The tasks as the API shows them, encoded. */
  async #readTasks({ organizationId, caller }: Identity, taskIds: readonly number[]): Promise<string[]> {
    const answers = await Promise.all(
      taskIds.map((taskId) => this.#engine.ask(organizationId, { kind: 'read-task', caller, taskId, show: 'task' })),
    );
    const tasks = answers.map((answer) => {
      if (!answer.ok) throw new RefusalError(answer.refusal);
      return answer.data;
    });
    const chars = tasks.reduce((sum, { length }) => sum + length, 0);
    if (tasks.length > 1 && chars > LIMITS.receiptDocumentChars)
      throw new RefusalError(refusal('TASK_TOO_LARGE', 'The receipts would hold too much text; print fewer at a time'));
    return tasks;
  }

  async #readPayment(organizationId: number, { paymentId }: TaskView): Promise<PaymentRecord | undefined> {
    if (paymentId === null) return undefined;
    return (await this.#reads.run(organizationId, (sql) => readPayment(sql, organizationId, paymentId)))?.payment;
  }

  async #readLetterhead(organizationId: number): Promise<Letterhead> {
    const found = await this.#reads.run(organizationId, (sql) => readOrganization(sql, organizationId));
    return letterheadOf(found?.organization ?? { name: '', settings: {} });
  }
}

import { type HttpAnswer, HttpLine, type LineUser } from '../load/http-line.ts';
import { requestHead } from '../load/http-pool.ts';
import { serveOrder, sleepFully } from '../load/serve-order.ts';
import { FailureCount } from '../locations/failure-count.ts';
import { eventsOf, type PublishOrder, type PublishOutcome } from './fanout-order.ts';
import { monotonicMicros, nameOf, STAND_IN_NAME } from './stamp.ts';

/**
 * The publishers, a process of its own. They follow the clock, regardless of the answers, but each sends one event
 * after the other.
 */

const PACE_MS = 1;
/** For the last answers. */
const GRACE_MS = 5_000;

class Publisher implements LineUser {
  readonly #line: HttpLine;
  readonly #publisher: number;
  readonly #order: PublishOrder;
  readonly #failures: FailureCount;
  readonly #before: string;
  readonly #after: string;
  /** The due times of events that are still to be sent. */
  readonly #due: number[] = [];
  #sent = 0;
  answered = 0;

  constructor(publisher: number, order: PublishOrder, failures: FailureCount) {
    this.#publisher = publisher;
    this.#order = order;
    this.#failures = failures;
    const target = new URL(order.url);
    this.#line = new HttpLine(target);
    const [before, after] = order.body.split(STAND_IN_NAME) as [string, string];
    const length = { 'content-type': 'application/json', 'content-length': `${order.body.length}` };
    this.#before = `${requestHead('POST', target.pathname, target, { ...order.headers, ...length })}\r\n${before}`;
    this.#after = after;
  }

  get isDone(): boolean {
    return !this.#line.isBusy && this.#due.length === 0;
  }

  publish(dueMicros: number): void {
    this.#due.push(dueMicros);
    if (!this.#line.isBusy) this.#sendNext();
  }

  stop(): void {
    this.#line.close();
  }

  onAnswer({ status, body }: HttpAnswer): void {
    if (status === this.#order.expectedStatus) this.answered += 1;
    else this.#failures.add(`status ${status}`, body);
    this.#sendNext();
  }

  onFailure(error: Error): void {
    this.#failures.add('connection', error.message);
  }

  #sendNext(): void {
    const dueMicros = this.#due.shift();
    if (dueMicros === undefined) return;
    const name = nameOf({ publisher: this.#publisher, number: this.#sent++, dueMicros });
    this.#line.send(`${this.#before}${name}${this.#after}`, this);
  }
}

serveOrder(async (order: PublishOrder, tellWindow): Promise<PublishOutcome> => {
  const failures = new FailureCount();
  const publishers = Array.from({ length: order.publishers }, (_, index) => new Publisher(index, order, failures));
  const stopPacing = pace(publishers, order);
  await sleepFully(order.warmUpSeconds * 1_000);
  tellWindow('start');
  await sleepFully(order.seconds * 1_000);
  tellWindow('end');
  const givenUpAt = performance.now() + GRACE_MS;
  while (publishers.some(({ isDone }) => !isDone) && performance.now() < givenUpAt) await sleepFully(PACE_MS);
  stopPacing();
  const answered = publishers.reduce((sum, publisher) => sum + publisher.answered, 0);
  for (const publisher of publishers) publisher.stop();
  return { answered, ...failures };
});

/** In turn, each at its time. */
function pace(publishers: readonly Publisher[], order: PublishOrder): () => void {
  const microsApart = 1e6 / order.eventsPerSecond;
  const events = eventsOf(order);
  const startedAt = monotonicMicros();
  let published = 0;
  const timer = setInterval(() => {
    const now = monotonicMicros();
    while (published < events) {
      const dueAt = startedAt + published * microsApart;
      if (dueAt > now) return;
      publishers[published++ % publishers.length]!.publish(dueAt);
    }
  }, PACE_MS);
  return () => clearInterval(timer);
}

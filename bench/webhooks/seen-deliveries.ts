import { LatencyHistogram } from '../load/latency-histogram.ts';
import type { SinkOrder } from './sink-order.ts';

type Order = Pick<SinkOrder, 'webhooks' | 'events' | 'from' | 'to'>;

/** The deliveries that have come to the sink, and the times of those inside the window. */
export class SeenDeliveries {
  readonly #order: Order;
  readonly #tellWindow: (edge: 'start' | 'end') => void;
  readonly #from: number;
  readonly #to: number;
  /** By webhook, the sequences that have come. */
  readonly #came: readonly Uint8Array[];
  readonly #newest: Float64Array;
  readonly latencies = new LatencyHistogram();
  unique = 0;
  duplicates = 0;
  outOfOrder = 0;
  startedAt = 0;
  endedAt = 0;

  constructor(order: Order, tellWindow: (edge: 'start' | 'end') => void) {
    this.#order = order;
    this.#tellWindow = tellWindow;
    // The window begins with a delivery, and so does its CPU.
    this.#from = Math.max(1, Math.floor(this.total * order.from));
    this.#to = Math.ceil(this.total * order.to);
    this.#came = Array.from({ length: order.webhooks }, () => new Uint8Array(order.events + 1));
    this.#newest = new Float64Array(order.webhooks);
  }

  get total(): number {
    return this.#order.webhooks * this.#order.events;
  }

  get windowed(): number {
    return this.#to - this.#from;
  }

  take(webhook: number, sequence: number, timestamp: string): void {
    const came = this.#came[webhook]!;
    if (came[sequence] !== 0) {
      this.duplicates += 1;
      return;
    }
    came[sequence] = 1;
    if (sequence < this.#newest[webhook]!) this.outOfOrder += 1;
    this.#newest[webhook] = Math.max(sequence, this.#newest[webhook]!);
    this.unique += 1;
    if (this.unique === this.#from) {
      this.startedAt = performance.now();
      this.#tellWindow('start');
    } else if (this.unique === this.#to) {
      this.endedAt = performance.now();
      this.#tellWindow('end');
    }
    if (this.unique > this.#from && this.unique <= this.#to)
      this.latencies.add(Math.max(0, Date.now() - Date.parse(timestamp)));
  }
}

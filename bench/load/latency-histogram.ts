/** Buckets grow by this factor: a percentile is at most that much above the truth. */
const GROWTH = 1.04;
const SMALLEST_MS = 0.05;
/** Up to two minutes. */
const BUCKETS = Math.ceil(Math.log(120_000 / SMALLEST_MS) / Math.log(GROWTH)) + 1;
const LOG_GROWTH = Math.log(GROWTH);

/** Times of any number of requests in the memory of a few hundred counters. */
export class LatencyHistogram {
  readonly #counts = new Float64Array(BUCKETS);
  count = 0;
  maxMs = 0;

  add(ms: number): void {
    const bucket = ms <= SMALLEST_MS ? 0 : Math.ceil(Math.log(ms / SMALLEST_MS) / LOG_GROWTH);
    const kept = Math.min(bucket, BUCKETS - 1);
    this.#counts[kept] = this.#counts[kept]! + 1;
    this.count += 1;
    if (ms > this.maxMs) this.maxMs = ms;
  }

  /** The time that `share` of all did not exceed, in milliseconds; undefined without any. */
  percentile(share: number): number | undefined {
    if (this.count === 0) return undefined;
    let left = Math.max(1, Math.ceil(this.count * share));
    const bucket = this.#counts.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return Math.min(this.maxMs, SMALLEST_MS * GROWTH ** bucket);
  }

  merge(other: LatencyHistogram): void {
    for (const [bucket, count] of other.#counts.entries()) this.#counts[bucket] = this.#counts[bucket]! + count;
    this.count += other.count;
    this.maxMs = Math.max(this.maxMs, other.maxMs);
  }
}

/** All times, and those of the last few seconds. */
export class RecentLatencies {
  readonly total = new LatencyHistogram();
  readonly #seconds: LatencyHistogram[] = [new LatencyHistogram()];
  readonly #kept: number;

  /** `seconds` count as recent. */
  constructor(seconds = 10) {
    this.#kept = seconds;
  }

  add(ms: number): void {
    this.total.add(ms);
    this.#seconds[0]!.add(ms);
  }

  /** To be called once a second. */
  nextSecond(): void {
    this.#seconds.unshift(new LatencyHistogram());
    this.#seconds.length = Math.min(this.#seconds.length, this.#kept);
  }

  recent(): LatencyHistogram {
    const merged = new LatencyHistogram();
    for (const second of this.#seconds) merged.merge(second);
    return merged;
  }
}

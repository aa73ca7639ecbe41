/** Seconds of requests, commits and attempts. */
export const SHORT_SECONDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15,
];
/** Seconds of what people wait for. */
export const LONG_SECONDS: readonly number[] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400];
/** Parts of a group. */
export const SIZES: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096];

/** Counts values by upper bounds. An observation writes three numbers in place and makes no object and no text. */
export class Histogram {
  readonly bounds: readonly number[];
  /** The values at or under each bound and over the one before; the last is for those over every bound. */
  readonly counts: Float64Array;
  #sum = 0;

  /** `bounds`: ascending. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  get sum(): number {
    return this.#sum;
  }

  observe(value: number): void {
    const { bounds } = this;
    let place = 0;
    while (place < bounds.length && value > bounds[place]!) place += 1;
    this.counts[place]! += 1;
    this.#sum += value;
  }
}

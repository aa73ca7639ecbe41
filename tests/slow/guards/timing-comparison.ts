/** Two ways to do a thing, compared by how long they take. Milliseconds throughout. */
export interface Comparison {
  readonly medians: readonly [number, number];
  /** Within these lies the difference of the medians, with 99 % confidence: first minus second. */
  readonly difference: readonly [low: number, high: number];
}

type Way = () => unknown;

const RESAMPLES = 400;
const TAIL = 0.005;
/** Past this a busy machine makes do with fewer pairs, down to so many. */
const PATIENCE_MS = 3_000;
const FEWEST_PAIRS = 40;

/**
 * Measures both ways, in up to so many pairs whose order is drawn, so that other work of the machine falls on both
 * alike; then draws the samples again and again (bootstrap) to see how much of the difference is chance.
 */
export async function compareTimes(first: Way, second: Way, pairs: number): Promise<Comparison> {
  const ways = [first, second] as const;
  const taken = [new Float64Array(pairs), new Float64Array(pairs)] as const;
  const enoughAt = performance.now() + PATIENCE_MS;
  let pair = 0;
  for (; pair < pairs && (pair < FEWEST_PAIRS || performance.now() < enoughAt); pair++) {
    const order = Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const);
    for (const which of order) {
      const startedAt = performance.now();
      const result = ways[which]();
      if (result instanceof Promise) await result;
      taken[which][pair] = performance.now() - startedAt;
    }
  }
  const times = [taken[0].subarray(0, pair), taken[1].subarray(0, pair)] as const;
  const differences = new Float64Array(RESAMPLES);
  for (let i = 0; i < RESAMPLES; i++) differences[i] = median(redrawn(times[0])) - median(redrawn(times[1]));
  differences.sort();
  return {
    medians: [median(times[0]), median(times[1])],
    difference: [differences[Math.floor(RESAMPLES * TAIL)]!, differences[Math.ceil(RESAMPLES * (1 - TAIL)) - 1]!],
  };
}

/** Whether the ways certainly differ by more than `boundMs`, as against by less, or by who knows how much. */
export function isApart({ difference: [low, high] }: Comparison, boundMs: number): boolean {
  return low > boundMs || high < -boundMs;
}

/** Keeps the processor busy. */
export function spin(durationMs: number): void {
  for (const until = performance.now() + durationMs; performance.now() < until; );
}

function redrawn(samples: Float64Array): Float64Array {
  return samples.map(() => samples[Math.floor(Math.random() * samples.length)]!);
}

function median(samples: Float64Array): number {
  const sorted = samples.slice().sort();
  return sorted[Math.floor(sorted.length / 2)]!;
}

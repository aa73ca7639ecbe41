/** The order for the generator of positions. */
export interface LocationOrder {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly agentIds: readonly number[];
  readonly batchPoints: number;
  /** Must divide the number of batches, so that all agents are heard equally often. */
  readonly connections: number;
  /** In all; null for as many as the server answers. */
  readonly pointsPerSecond: number | null;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** The generator's results. Times are in milliseconds. */
export interface LocationOutcome {
  readonly windowMs: number;
  /** Inside the window, of answers with 202. */
  readonly points: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Over the whole run, warm-up included: the outcomes of the points, and failures that should never happen. */
  readonly accepted: number;
  readonly stale: number;
  readonly rejected: number;
  /** Other answers and lost connections by kind, with the first of them. */
  readonly failures: Readonly<Record<string, number>>;
  readonly firstFailure: string | undefined;
}

/** The order for the generator of reads, which reads each of the tasks in turn. */
export interface ReadOrder {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly taskIds: readonly number[];
  readonly connections: number;
  readonly readsPerSecond: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface ReadOutcome {
  readonly reads: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly firstFailure: string | undefined;
}

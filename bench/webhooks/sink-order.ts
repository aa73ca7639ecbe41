/** The order for the sink: accept so many events of so many webhooks, the n-th at `/<n>`. */
export interface SinkOrder {
  readonly port: number;
  readonly webhooks: number;
  /** Events of each webhook: sequences from 1 on. */
  readonly events: number;
  /** The window begins when this part of all has come, and ends with that one: shares from 0 to 1. */
  readonly from: number;
  readonly to: number;
  /** Until everything has come. */
  readonly patienceMs: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** The sink's results. Times are in milliseconds, from the timestamp of an event to when its delivery was read. */
export interface SinkOutcome {
  /** Inside the window. */
  readonly deliveries: number;
  readonly windowMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Over the whole run. */
  readonly missing: number;
  readonly duplicates: number;
  /** Came before an earlier one of its webhook. */
  readonly outOfOrder: number;
}

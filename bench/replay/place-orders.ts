import { spreadOf } from '../statistics.ts';
import type { ApiClient, Posted } from './api-client.ts';
import type { OrderTask } from './order-task.ts';

export interface PlacedOrder extends Posted {
  readonly wanted: OrderTask;
}

export interface Placement {
  readonly placed: readonly PlacedOrder[];
  readonly seconds: number;
  readonly medianMs: number;
  readonly slowestMs: number;
  /** How far behind the compressed clock an order was sent at most. */
  readonly latestMs: number;
  readonly retries: number;
}

const MINUTE_MS = 60_000;

/**
 * Places the orders of a day `speed` times as fast as they were. One at a time, the next when the one before it is
 * answered: that alone keeps their order for certain, and a day of orders is no burden.
 */
export async function placeOrders(
  api: ApiClient,
  wanted: readonly OrderTask[],
  speed: number,
  signal: AbortSignal,
): Promise<Placement> {
  const placed: PlacedOrder[] = [];
  const startedAt = performance.now();
  const firstMinute = wanted[0]!.order.placementMinute;
  let latestMs = 0;
  for (const each of wanted) {
    const dueAt = startedAt + ((each.order.placementMinute - firstMinute) * MINUTE_MS) / speed;
    await sleepUntil(dueAt);
    signal.throwIfAborted();
    latestMs = Math.max(latestMs, performance.now() - dueAt);
    placed.push({ wanted: each, ...(await api.createTask(each.body, each.idempotencyKey)) });
  }
  const { median, max } = spreadOf(placed.map(({ latencyMs }) => latencyMs));
  const retries = placed.reduce((sum, each) => sum + each.retries, 0);
  return {
    placed,
    seconds: (performance.now() - startedAt) / 1_000,
    medianMs: median,
    slowestMs: max,
    latestMs,
    retries,
  };
}

async function sleepUntil(moment: number): Promise<void> {
  const left = moment - performance.now();
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
}

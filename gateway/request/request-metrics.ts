import { Counter, Gauge, type Registry } from 'prom-client';
import type { Route } from '../route.ts';

/** Upper bounds of the latency buckets, milliseconds. */
const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 15_000];

interface RouteCounts {
  readonly byStatus: Map<number, number>;
  /** Requests at or under each bound of BUCKETS_MS, and above the last. */
  readonly buckets: number[];
}

/**
 * Counts requests by route and status. The path of a request adds plain numbers; a scrape turns them into Prometheus
 * series.
 */
export class RequestMetrics {
  readonly #counts = new Map<Route, RouteCounts>();

  constructor(registry: Registry) {
    const counts = this.#counts;
    new Counter({
      name: 'dispatch_http_requests_total',
      help: 'Requests answered, by route and status',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [{ method, path: route }, { byStatus }] of counts) {
          for (const [status, count] of byStatus) this.inc({ method, route, status }, count);
        }
      },
    });
    new Gauge({
      name: 'dispatch_http_request_duration_ms_bucket',
      help: 'Requests answered within so many milliseconds, by route',
      labelNames: ['method', 'route', 'le'],
      registers: [registry],
      collect() {
        for (const [{ method, path: route }, { buckets }] of counts) {
          let total = 0;
          for (const [index, count] of buckets.entries()) {
            total += count;
            this.set({ method, route, le: BUCKETS_MS[index] ?? '+Inf' }, total);
          }
        }
      },
    });
  }

  /** Returns the counter of a route. */
  of(route: Route): (status: number, durationMs: number) => void {
    let counts = this.#counts.get(route);
    if (!counts) {
      counts = { byStatus: new Map(), buckets: new Array(BUCKETS_MS.length + 1).fill(0) };
      this.#counts.set(route, counts);
    }
    const { byStatus, buckets } = counts;
    return (status, durationMs) => {
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      const index = BUCKETS_MS.findIndex((bound) => durationMs <= bound);
      const bucket = index === -1 ? BUCKETS_MS.length : index;
      buckets[bucket]! += 1;
    };
  }
}

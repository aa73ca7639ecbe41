import { Histogram, SHORT_SECONDS } from '../../engine/runtime/metrics/histogram.ts';
import type { MetricSet } from '../../engine/runtime/metrics/metric-set.ts';
import { REFUSALS, type RefusalReason } from '../http/port.ts';
import type { Route } from '../route.ts';

/** The requests of one route. */
export interface RouteMetrics {
  /** Counts an answer. */
  answered(status: number, seconds: number): void;
}

class RouteCounts implements RouteMetrics {
  readonly labels: { readonly method: string; readonly route: string };
  readonly byStatus = new Map<number, { count: number }>();
  readonly durations = new Histogram(SHORT_SECONDS);

  constructor(method: string, route: string) {
    this.labels = { method, route };
  }

  answered(status: number, seconds: number): void {
    const known = this.byStatus.get(status);
    if (known) known.count += 1;
    else this.byStatus.set(status, { count: 1 });
    this.durations.observe(seconds);
  }
}

/** Counts requests by route and status. The counts of a route are found once per request and are plain numbers. */
export class RequestMetrics {
  readonly #routes = new Map<Route, RouteCounts>();
  readonly #unknown = new RouteCounts('none', 'none');
  readonly #refusals = Object.fromEntries(Object.keys(REFUSALS).map((reason) => [reason, 0])) as Record<
    RefusalReason,
    number
  >;
  #abandoned = 0;

  constructor(routes: readonly Route[], metrics: MetricSet) {
    for (const route of routes) this.#routes.set(route, new RouteCounts(route.method, route.path));
    const seen = () => [...this.#routes.values(), this.#unknown].filter(({ byStatus }) => byStatus.size > 0);
    metrics.counters(
      'dispatch_http_requests_total',
      'Requests answered, by route and status; the route "none" is for those that no route took.',
      () =>
        seen().flatMap(({ labels, byStatus }) =>
          [...byStatus].map(([status, { count }]) => [{ ...labels, status: `${status}` }, count] as const),
        ),
    );
    metrics.histograms(
      'dispatch_http_request_duration_seconds',
      'Time from the head of a request to its answer; of a stream to its beginning.',
      () => seen().map(({ labels, durations }) => [labels, durations] as const),
    );
    metrics.counters(
      'dispatch_http_refusals_total',
      'Requests that the HTTP layer refused by itself: unfit, too large, too many or too late.',
      () => Object.entries(this.#refusals).map(([reason, count]) => [{ reason: inSnakeCase(reason) }, count] as const),
    );
    metrics.counter(
      'dispatch_http_abandoned_total',
      'Requests whose client left before the answer.',
      () => this.#abandoned,
    );
  }

  /** The counts of a route; of undefined those of requests that no route took. */
  of(route: Route | undefined): RouteMetrics {
    return (route && this.#routes.get(route)) ?? this.#unknown;
  }

  refused(reason: RefusalReason): void {
    this.#refusals[reason] += 1;
  }

  abandoned(): void {
    this.#abandoned += 1;
  }
}

/** `bodyTooLarge` as the values of labels are written: `body_too_large`. */
function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

import type { MetricSet } from '../runtime/metrics/metric-set.ts';
import type { TravelCounts } from './travel-times.ts';

/** The questions of a process to the routing engine. */
export function observeTravel(metrics: MetricSet, travel: Readonly<TravelCounts>): void {
  metrics.counters(
    'dispatch_routing_tables_total',
    'Tables of the routing engine: answered, refused because it has no ways, or failed.',
    () => [
      [{ result: 'answered' }, travel.tablesAnswered],
      [{ result: 'refused' }, travel.tablesRefused],
      [{ result: 'failed' }, travel.tablesFailed],
    ],
  );
  metrics.counters('dispatch_trips_total', 'Ways of plans: known from the routing engine, or estimated.', () => [
    [{ source: 'known' }, travel.tripsKnown],
    [{ source: 'estimated' }, travel.tripsEstimated],
  ]);
}

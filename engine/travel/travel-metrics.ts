import type { TravelCounts } from './travel-times.ts';

/** The questions of a process to the routing engine. */
export function observeTravel(
  gauge: (name: string, help: string, value: () => number) => void,
  travel: Readonly<TravelCounts>,
): void {
  gauge('dispatch_routing_tables_answered_total', 'Tables of the routing engine', () => travel.tablesAnswered);
  gauge('dispatch_routing_tables_refused_total', 'Tables that it has no ways for', () => travel.tablesRefused);
  gauge('dispatch_routing_tables_failed_total', 'Tables that it did not answer', () => travel.tablesFailed);
  gauge('dispatch_trips_known_total', 'Ways of plans that it has told', () => travel.tripsKnown);
  gauge('dispatch_trips_estimated_total', 'Ways of plans that had to be estimated', () => travel.tripsEstimated);
}

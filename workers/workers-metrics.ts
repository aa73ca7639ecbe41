import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Assignment } from './assignment/start-assignment.ts';

/** What the process and its rounds are doing, read when somebody asks. */
export function workersMetrics({ counts, travel, organizations }: Assignment): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('dispatch_rounds_total', 'Rounds that have ended', () => counts.rounds);
  gauge('dispatch_rounds_failed_total', 'Rounds that failed, and were made again', () => counts.failed);
  gauge('dispatch_rounds_offers_total', 'Offers that rounds have proposed', () => counts.offers);
  gauge('dispatch_rounds_organizations', 'Organizations that look for agents', organizations);
  gauge('dispatch_routing_tables_answered_total', 'Tables of the routing engine', () => travel.tablesAnswered);
  gauge('dispatch_routing_tables_refused_total', 'Tables that it has no ways for', () => travel.tablesRefused);
  gauge('dispatch_routing_tables_failed_total', 'Tables that it did not answer', () => travel.tablesFailed);
  gauge('dispatch_trips_known_total', 'Ways of plans that it has told', () => travel.tripsKnown);
  gauge('dispatch_trips_estimated_total', 'Ways of plans that had to be estimated', () => travel.tripsEstimated);
  return registry;
}

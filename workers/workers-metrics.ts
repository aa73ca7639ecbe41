import { collectDefaultMetrics, Registry } from 'prom-client';
import { gaugesOf } from '../engine/runtime/gauges.ts';
import { observeTravel } from '../engine/travel/travel-metrics.ts';
import type { Assignment } from './assignment/start-assignment.ts';

/** What the process and its rounds are doing, read when somebody asks. */
export function workersMetrics({ counts, travel, organizations }: Assignment): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = gaugesOf(registry);
  gauge('dispatch_rounds_total', 'Rounds that have ended', () => counts.rounds);
  gauge('dispatch_rounds_failed_total', 'Rounds that failed, and were made again', () => counts.failed);
  gauge('dispatch_rounds_offers_total', 'Offers that rounds have proposed', () => counts.offers);
  gauge('dispatch_rounds_organizations', 'Organizations that look for agents', organizations);
  observeTravel(gauge, travel);
  return registry;
}

import { collectDefaultMetrics, Registry } from 'prom-client';
import { gaugesOf } from '../engine/runtime/gauges.ts';
import { observeTravel } from '../engine/travel/travel-metrics.ts';
import type { Assignment } from './assignment/start-assignment.ts';
import type { Notifications } from './notifications/start-notifications.ts';

/** The activity of the process, its rounds and its notices, read at each scrape. */
export function workersMetrics({ counts, travel, organizations }: Assignment, notifications: Notifications): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = gaugesOf(registry);
  gauge('dispatch_rounds_total', 'Rounds that have ended', () => counts.rounds);
  gauge('dispatch_rounds_failed_total', 'Rounds that failed, and were made again', () => counts.failed);
  gauge('dispatch_rounds_offers_total', 'Offers that rounds have proposed', () => counts.offers);
  gauge('dispatch_rounds_organizations', 'Organizations that look for agents', organizations);
  observeTravel(gauge, travel);
  const { counts: notices } = notifications;
  gauge('dispatch_notices_sent_total', 'Notices that a push service or a mail server has taken', () => notices.sent);
  gauge(
    'dispatch_notices_failed_total',
    'Notices that were refused, or could not be sent in time',
    () => notices.failed,
  );
  gauge('dispatch_notices_dropped_total', 'Notices whose reason had passed', () => notices.dropped);
  gauge('dispatch_notices_postponed_total', 'Tries after which another one is due', () => notices.postponed);
  gauge('dispatch_push_tokens_gone_total', 'Devices that a push service no longer knew', () => notices.gone);
  gauge('dispatch_notices_under_way', 'Notices that are being sent', notifications.size);
  return registry;
}

import { MetricSet } from '../engine/runtime/metrics/metric-set.ts';
import { observeTravel } from '../engine/travel/travel-metrics.ts';
import type { Assignment } from './assignment/start-assignment.ts';
import type { Backlog, BacklogSample } from './backlog.ts';
import type { MailCounts } from './notifications/mailer.ts';
import type { Notifications } from './notifications/start-notifications.ts';
import type { Payments } from './payments/start-payments.ts';
import type { Webhooks } from './webhooks/start-webhooks.ts';

export interface WorkersParts {
  readonly assignment: Assignment;
  readonly notifications: Notifications;
  readonly webhooks: Webhooks;
  readonly payments: Payments;
  readonly mails: Readonly<MailCounts>;
  readonly backlog: Backlog;
}

/** The activity of the process, read at each scrape. docs/operating/monitoring.md explains each metric. */
export function workersMetrics(parts: WorkersParts): MetricSet {
  const metrics = new MetricSet();
  observeRounds(metrics, parts.assignment);
  observeTravel(metrics, parts.assignment.travel);
  observeNotices(metrics, parts);
  observeWebhooks(metrics, parts.webhooks);
  observeBacklog(metrics, parts.backlog);
  metrics.counterBy(
    'result',
    'dispatch_payment_steps_total',
    'Steps at payment providers: done, still waiting for news, or failed to be tried again.',
    parts.payments.counts,
  );
  return metrics;
}

function observeRounds(metrics: MetricSet, { counts, organizations }: Assignment): void {
  metrics.counters('dispatch_rounds_total', 'Rounds that ended, and rounds that failed and are made again.', () => [
    [{ result: 'done' }, counts.rounds],
    [{ result: 'failed' }, counts.failed],
  ]);
  metrics.histogram('dispatch_round_duration_seconds', 'Time of a round, from its view to its offers.', counts.seconds);
  metrics.counter('dispatch_round_offers_total', 'Offers that rounds proposed.', () => counts.offers);
  metrics.gauge('dispatch_rounds_organizations', 'Organizations that look for agents.', organizations);
}

function observeNotices(metrics: MetricSet, { notifications, mails }: WorkersParts): void {
  const { counts } = notifications;
  metrics.counters(
    'dispatch_notices_total',
    'Pushes and mails to customers, by their ends; a postponed one is tried again.',
    () => (['sent', 'failed', 'dropped', 'postponed'] as const).map((result) => [{ result }, counts[result]] as const),
  );
  metrics.counter('dispatch_push_tokens_gone_total', 'Devices that a push service no longer knew.', () => counts.gone);
  metrics.gauge('dispatch_notices_under_way', 'Notices that are being sent.', notifications.size);
  metrics.counterBy(
    'result',
    'dispatch_mails_total',
    'Mails to users: sent, postponed to another try, held back by the bound of an organization, or given up.',
    mails,
  );
}

function observeWebhooks(metrics: MetricSet, { counts, size }: Webhooks): void {
  metrics.counterBy(
    'result',
    'dispatch_webhook_attempts_total',
    'Attempts of deliveries: success, an answer other than 2xx, 410 gone, or no answer.',
    counts.attempts,
  );
  metrics.histogram('dispatch_webhook_attempt_duration_seconds', 'Time of an attempt.', counts.seconds);
  metrics.gauge('dispatch_webhook_endpoints_served', 'Endpoints that this process serves now.', size);
}

/** Each scrape shows the last look and asks for the next one. Every process shows the same: take the maximum. */
function observeBacklog(metrics: MetricSet, backlog: Backlog): void {
  const rows =
    <T>(of: (sample: BacklogSample) => T[]) =>
    () =>
      backlog.latest ? of(backlog.latest) : [];
  const value = (of: (sample: BacklogSample) => number) => rows((sample) => [[{}, of(sample)] as const]);
  metrics.gauges('dispatch_backlog_sampled_timestamp_seconds', 'Time of the last look at what waits.', () => {
    backlog.look();
    return backlog.latest ? [[{}, backlog.latest.at / 1_000] as const] : [];
  });
  metrics.gauges(
    'dispatch_relay_lag_events',
    'Events that a consumer of the logs has not seen.',
    rows(({ relays }) => relays.map(({ consumer, events }) => [{ consumer }, events] as const)),
  );
  metrics.gauges(
    'dispatch_relay_lag_seconds',
    'Age of the oldest event that a consumer of the logs has not seen.',
    rows(({ relays }) => relays.map(({ consumer, seconds }) => [{ consumer }, seconds] as const)),
  );
  metrics.gauges(
    'dispatch_webhooks',
    'Webhooks: active, or disabled by the workers.',
    rows(({ webhooks: { active, disabled } }) => [
      [{ state: 'active' }, active] as const,
      [{ state: 'disabled' }, disabled] as const,
    ]),
  );
  metrics.gauges(
    'dispatch_webhook_pending_deliveries',
    'Deliveries that wait for another attempt.',
    value(({ webhooks }) => webhooks.pendingDeliveries),
  );
  metrics.gauges(
    'dispatch_webhook_waiting_events',
    'Events of the logs that active webhooks have not passed.',
    value(({ webhooks }) => webhooks.waitingEvents),
  );
  metrics.gauges(
    'dispatch_webhook_oldest_seconds',
    'Age of the oldest delivery or event that waits for a webhook.',
    value(({ webhooks }) => webhooks.oldestSeconds),
  );
}

import { collectDefaultMetrics, type Registry } from 'prom-client';
import type { Engine } from '../../engine/org/start-engine.ts';
import { gaugesOf } from '../../engine/runtime/gauges.ts';
import { observeTravel } from '../../engine/travel/travel-metrics.ts';
import type { TravelCounts } from '../../engine/travel/travel-times.ts';
import type { CallbackCounts } from '../payments/open-payments.ts';

/** The activity of the process and its engine, read at each scrape. */
export function observeProcess(
  registry: Registry,
  engine: Engine,
  counts: {
    readonly streams: () => number;
    readonly pendingRequests: () => number;
    readonly callbacks: Readonly<CallbackCounts>;
  },
  travel: Readonly<TravelCounts>,
): void {
  collectDefaultMetrics({ register: registry });
  const gauge = gaugesOf(registry);
  gauge('dispatch_commit_groups_total', 'Groups sent to Postgres', () => engine.counts().commitGroups);
  gauge('dispatch_live_actors', 'Organizations in memory', () => engine.counts().liveActors);
  gauge('dispatch_shards_owned', 'Shards that this process may write', () => engine.counts().shardsOwned);
  const { positions, trail } = engine;
  gauge('dispatch_points_accepted_total', 'Points that became current positions', () => positions.taken.accepted);
  gauge('dispatch_points_stale_total', 'Points that came too late to be current', () => positions.taken.stale);
  gauge('dispatch_points_rejected_total', 'Points that were refused', () => positions.taken.rejected);
  gauge('dispatch_positions_organizations', 'Organizations whose positions are in memory', () => positions.size);
  gauge('dispatch_trail_points_buffered', 'Points on their way into trails', () => trail.buffered);
  gauge('dispatch_trail_points_written_total', 'Points that trails have taken', () => trail.written);
  gauge('dispatch_trail_points_dropped_total', 'Points lost to trails: no room, or refused', () => trail.dropped);
  observeTravel(gauge, travel);
  gauge('dispatch_streams', 'Open event streams', counts.streams);
  const { callbacks } = counts;
  gauge(
    'dispatch_payment_callbacks_taken_total',
    'Callbacks of payment providers that were taken',
    () => callbacks.taken,
  );
  gauge('dispatch_payment_callbacks_untrusted_total', 'Callbacks that nobody had signed', () => callbacks.untrusted);
  gauge('dispatch_payment_callbacks_refused_total', 'Callbacks that are to be sent again', () => callbacks.refused);
  gauge('dispatch_pending_requests', 'Requests without an answer yet', counts.pendingRequests);
}

import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Engine } from '../engine/org/start-engine.ts';
import type { TravelCounts } from '../engine/travel/travel-times.ts';
import type { CallbackCounts } from './payments/open-payments.ts';

/** What the process and its engine are doing, read when somebody asks. */
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
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('dispatch_commit_groups_total', 'Groups sent to Postgres', () => engine.groupCommit.groups);
  gauge('dispatch_live_actors', 'Organizations in memory', () => engine.directory.liveActors);
  gauge('dispatch_shards_owned', 'Shards that this process may write', () => engine.ownership.ownedCount);
  const { positions, trail } = engine;
  gauge('dispatch_points_accepted_total', 'Points that became current positions', () => positions.taken.accepted);
  gauge('dispatch_points_stale_total', 'Points that came too late to be current', () => positions.taken.stale);
  gauge('dispatch_points_rejected_total', 'Points that were refused', () => positions.taken.rejected);
  gauge('dispatch_positions_organizations', 'Organizations whose positions are in memory', () => positions.size);
  gauge('dispatch_trail_points_buffered', 'Points on their way into trails', () => trail.buffered);
  gauge('dispatch_trail_points_written_total', 'Points that trails have taken', () => trail.written);
  gauge('dispatch_trail_points_dropped_total', 'Points lost to trails: no room, or refused', () => trail.dropped);
  gauge('dispatch_routing_tables_answered_total', 'Tables of the routing engine', () => travel.tablesAnswered);
  gauge('dispatch_routing_tables_refused_total', 'Tables that it has no ways for', () => travel.tablesRefused);
  gauge('dispatch_routing_tables_failed_total', 'Tables that it did not answer', () => travel.tablesFailed);
  gauge('dispatch_trips_known_total', 'Ways of plans that it has told', () => travel.tripsKnown);
  gauge('dispatch_trips_estimated_total', 'Ways of plans that had to be estimated', () => travel.tripsEstimated);
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

import type { Engine } from '../../engine/org/start-engine.ts';
import type { MetricSet } from '../../engine/runtime/metrics/metric-set.ts';
import { observeTravel } from '../../engine/travel/travel-metrics.ts';
import type { TravelCounts } from '../../engine/travel/travel-times.ts';
import type { CallbackCounts } from '../payments/open-payments.ts';
import type { StreamCounts } from '../sse/stream-counts.ts';

export interface ProcessCounts {
  /** Open streams, tracking pages included. */
  readonly openStreams: () => number;
  readonly streams: StreamCounts;
  readonly pendingRequests: () => number;
  readonly callbacks: Readonly<CallbackCounts>;
  readonly travel: Readonly<TravelCounts>;
}

/** The activity of the process and its engine, read at each scrape. docs/operating/monitoring.md explains each metric. */
export function observeProcess(metrics: MetricSet, engine: Engine, counts: ProcessCounts): void {
  metrics.gauge('dispatch_pending_requests', 'Requests without an answer yet.', counts.pendingRequests);
  metrics.gauge('dispatch_live_actors', 'Organizations in memory.', () => engine.counts().liveActors);
  metrics.gauge('dispatch_shards_owned', 'Shards that this process may write.', () => engine.counts().shardsOwned);
  observeCommits(metrics, engine);
  observeActivity(metrics, engine);
  observePositions(metrics, engine);
  observeStreams(metrics, counts);
  observeTravel(metrics, counts.travel);
  metrics.counterBy(
    'result',
    'dispatch_payment_callbacks_total',
    'Callbacks of payment providers: taken, untrusted without a signature, or refused to be sent again.',
    counts.callbacks,
  );
}

function observeCommits(metrics: MetricSet, { commits, counts }: Engine): void {
  metrics.gauge('dispatch_commits_in_flight', 'Groups on their way to Postgres.', () => counts().commitsOnTheirWay);
  metrics.counterBy('result', 'dispatch_commits_total', 'Groups sent to Postgres, by how they ended.', commits.results);
  metrics.histogram(
    'dispatch_commit_duration_seconds',
    'Time from sending a group to its end, encoding included.',
    commits.seconds,
  );
  metrics.histogram('dispatch_commit_organizations', 'Organizations in a group.', commits.organizations);
  metrics.histogram('dispatch_commit_rows', 'Rows in a group.', commits.rows);
}

function observeActivity(metrics: MetricSet, { activity }: Engine): void {
  metrics.counterBy(
    'type',
    'dispatch_events_total',
    'Events of the logs: what happened to tasks, offers, agents and payments.',
    activity.events,
  );
  metrics.counterBy(
    'status',
    'dispatch_offers_total',
    'Offers to agents: made, and ended by an answer, by time or by withdrawal.',
    activity.offers,
  );
  metrics.counterBy('outcome', 'dispatch_searches_total', 'Searches for an agent that ended.', activity.searches);
  metrics.histogram(
    'dispatch_assignment_duration_seconds',
    'Time from the beginning of a search until an agent has the task.',
    activity.assignmentSeconds,
  );
}

function observePositions(metrics: MetricSet, { positions, trail }: Engine): void {
  metrics.counterBy(
    'result',
    'dispatch_points_total',
    'Points of agents: accepted, stale, or rejected.',
    positions.taken,
  );
  metrics.gauge(
    'dispatch_positions_organizations',
    'Organizations whose positions are in memory.',
    () => positions.size,
  );
  metrics.gauge('dispatch_trail_points_buffered', 'Points on their way into trails.', () => trail.buffered);
  metrics.counters('dispatch_trail_points_total', 'Points that trails took, or dropped for want of room.', () => [
    [{ result: 'written' }, trail.written],
    [{ result: 'dropped' }, trail.dropped],
  ]);
}

function observeStreams(metrics: MetricSet, { openStreams, streams }: ProcessCounts): void {
  metrics.gauge('dispatch_streams', 'Open event streams, those of tracking pages included.', openStreams);
  metrics.counter('dispatch_streams_opened_total', 'Streams of organizations that began.', () => streams.opened);
  metrics.counter(
    'dispatch_streams_resumed_total',
    'Streams that went on where their client had left off.',
    () => streams.resumed,
  );
  metrics.counterBy(
    'reason',
    'dispatch_streams_resynced_total',
    'Streams whose client had to read everything again.',
    streams.resynced,
  );
  metrics.counter(
    'dispatch_streams_cut_off_total',
    'Streams that were cut off because their client was too slow.',
    () => streams.cutOff,
  );
}

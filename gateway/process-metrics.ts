import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Engine } from '../engine/org/start-engine.ts';

/** What the process and its engine are doing, read when somebody asks. */
export function observeProcess(
  registry: Registry,
  engine: Engine,
  counts: { readonly streams: () => number; readonly pendingRequests: () => number },
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
  gauge('dispatch_streams', 'Open event streams', counts.streams);
  gauge('dispatch_pending_requests', 'Requests without an answer yet', counts.pendingRequests);
}

import { EVENT_TYPES, type EventType } from '../../schema/events.ts';
import type { Clock } from '../runtime/clock.ts';
import { Histogram, LONG_SECONDS } from '../runtime/metrics/histogram.ts';
import type { OrgBatch } from './apply/org-batch.ts';

/** Events, offers and searches that this process has committed since its start. */
export class ActivityCounts {
  readonly events = Object.fromEntries(EVENT_TYPES.map((type) => [type, 0])) as Record<EventType, number>;
  /** Offers by their ends; `made` are the new ones. */
  readonly offers = { made: 0, accepted: 0, rejected: 0, expired: 0, cancelled: 0 };
  /** Searches by their ends: an agent or a courier was found, nobody was, or somebody ended it. */
  readonly searches = { assigned: 0, failed: 0, cancelled: 0 };
  /** From the moment since which a search waits until it has found somebody. */
  readonly assignmentSeconds = new Histogram(LONG_SECONDS);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called with each committed batch. */
  committed({ events, requests, taskChanges }: Pick<OrgBatch, 'events' | 'requests' | 'taskChanges'>): void {
    for (const { type } of events) this.events[type] += 1;
    for (const { record, expectedVersion } of requests.values()) {
      if (expectedVersion === 0) this.offers.made += 1;
      if (record.status !== 'pending') this.offers[record.status] += 1;
    }
    for (const { before, after } of taskChanges) {
      if (!before?.search || after.search) continue;
      const { autoAssignmentStatus: status } = after;
      const outcome = status === 'assigned' || status === 'failed' ? status : 'cancelled';
      this.searches[outcome] += 1;
      const { since } = before.search;
      if (outcome === 'assigned' && since)
        this.assignmentSeconds.observe(Math.max(0, this.#clock.now() - Date.parse(since)) / 1_000);
    }
  }
}

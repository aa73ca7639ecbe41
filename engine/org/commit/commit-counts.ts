import { Histogram, SHORT_SECONDS, SIZES } from '../../runtime/metrics/histogram.ts';
import type { CommitFailure } from '../../store/actor/commit-store.ts';
import type { OrgBatch } from '../apply/org-batch.ts';

/** Groups that were sent to Postgres since the start. */
export class CommitCounts {
  readonly results = { committed: 0, refused: 0, stale: 0, fenced: 0, failed: 0, unknown: 0 };
  readonly seconds = new Histogram(SHORT_SECONDS);
  readonly organizations = new Histogram(SIZES);
  readonly rows = new Histogram(SIZES);

  /** The number of groups that ended. */
  get total(): number {
    return Object.values(this.results).reduce((sum, count) => sum + count, 0);
  }

  /** A group of one batch or more ended `ms` after it was sent. */
  ended(result: 'committed' | CommitFailure, group: readonly { readonly batch: OrgBatch }[], ms: number): void {
    let rows = 0;
    for (const { batch } of group) rows += batch.rows;
    this.results[result] += 1;
    this.seconds.observe(ms / 1_000);
    this.organizations.observe(group.length);
    this.rows.observe(rows);
  }
}

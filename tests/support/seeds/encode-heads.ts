import { OrgBatch } from '../../../engine/org/apply/org-batch.ts';
import { encodeBatch } from '../../../engine/org/commit/encode-batch.ts';
import { encodeGroup } from '../../../engine/org/commit/encode-group.ts';
import type { CommitParameters } from '../../../engine/store/actor/commit-store.ts';
import type { OwnedShard } from '../../../engine/store/cluster/shard-store.ts';

/** A group that holds only heads of organizations, without events and timers. */
export function encodeHeads(
  groupId: string,
  organizationIds: readonly number[],
  fences: readonly OwnedShard[],
): CommitParameters {
  const batches = organizationIds.map((organizationId) => {
    const batch = new OrgBatch(organizationId, 1, 0);
    batch.lastAt = '2026-11-22T12:00:00.000Z';
    return encodeBatch(batch, 1);
  });
  return encodeGroup(groupId, batches, fences);
}

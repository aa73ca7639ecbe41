import { NOTICED_TYPES, type NoticedEvent, noticesOf } from '../../engine/domain/outbound/notices.ts';
import { sleep } from '../../engine/runtime/clock.ts';
import type { FaultPoints } from '../../engine/runtime/fault-points.ts';
import type { NoticeFollowStore } from '../../engine/store/notifications/notice-follow-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { PassOver } from '../outbox-relay.ts';

interface FollowerOptions {
  readonly store: NoticeFollowStore;
  /** So many notices have been made, and may be sent. */
  readonly onMade: (count: number) => void;
  readonly fault: FaultPoints;
}

/**
 * Follows the logs of organizations and makes notices of their events. The log is the queue: the rows and the position
 * in it are written together, so that each notice is made once after any crash. The second of two processes writes
 * nothing. Rejects while Postgres is away.
 */
export function createNoticeFollower(
  options: FollowerOptions,
): (organizationIds: readonly number[], passOver: PassOver) => Promise<void> {
  return async (organizationIds, passOver) => {
    const { untold, unread } = await options.store.skipUntellable(organizationIds, NOTICED_TYPES);
    passOver(unread);
    const waiting = [...untold];
    const lanes = Array.from({ length: LIMITS.noticeFollowsAtOnce }, async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) await follow(id, options);
    });
    await Promise.all(lanes);
    // Later commits are read together.
    await sleep(LIMITS.noticePauseMs);
  };
}

async function follow(organizationId: number, { store, onMade, fault }: FollowerOptions): Promise<void> {
  for (let pages = 0; pages < LIMITS.noticePagesPerTurn; pages++) {
    const page = await store.readUntold(organizationId, NOTICED_TYPES);
    if (!page || page.upTo <= page.after) return;
    const notices = page.bodies.flatMap((body) => noticesOf(JSON.parse(body) as NoticedEvent, page.mail));
    fault('before-notices-made');
    const made = await store.writeTold(organizationId, page, notices);
    fault('after-notices-made');
    if (made) onMade(made);
    if (!page.isFull) return;
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogPages } from '../../../../engine/org/feed/log-pages.ts';
import { systemClock } from '../../../../engine/runtime/clock.ts';
import type { LoggedEvent } from '../../../../schema/events.ts';

const ORGANIZATION = 1;

/** Pages over a log whose events are so large that one read holds only a few of them. */
function pagesOf(count: number, eventsOfRead: number) {
  const log = Array.from({ length: count }, (_, index): LoggedEvent => {
    return { organizationId: ORGANIZATION, sequence: index + 1, type: 'task.created', at: '', body: '{}' };
  });
  const reads: number[] = [];
  const store = {
    async readAfter(_organizationId: number, after: number, limit: number) {
      reads.push(after);
      const found = log.filter(({ sequence }) => sequence > after).slice(0, limit);
      const events = found.slice(0, eventsOfRead);
      return { events, isCut: events.length < found.length, lastSequence: log.length, keptAfter: after };
    },
  };
  return { pages: new LogPages({ history: 'history', store, clock: systemClock }), reads };
}

test('a reader of large events gets each of them once, though a page ends before its next fixed place', async () => {
  const { pages, reads } = pagesOf(9, 4);
  const got: number[] = [];
  for (let at = 0; at < 9; at = got.at(-1)!) {
    const { events, expired } = await pages.readAfter(ORGANIZATION, at);
    assert.equal(expired, false);
    got.push(...events.map(({ sequence }) => sequence));
  }
  assert.deepEqual(got, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(reads, [0, 0, 4, 0, 8]);
});

test('a reader at the end of a log of large events finds nothing, and nothing is expired', async () => {
  const { pages } = pagesOf(9, 4);
  assert.deepEqual(await pages.readAfter(ORGANIZATION, 9), { events: [], lastSequence: 9, expired: false });
});

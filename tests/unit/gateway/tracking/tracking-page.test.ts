import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Link } from '../../../../gateway/tracking/open-tracking.ts';
import { changingParts, digestOfAll, trackingPage } from '../../../../gateway/tracking/tracking-page.ts';
import type { PageTask } from '../../../../gateway/tracking/tracking-parts.ts';
import type { TrackedTask } from '../../../../schema/tasks/tracking.ts';
import { HOSTILE_TEXTS } from '../../../support/seeds/hostile-texts.ts';

const TOKEN = 'A'.repeat(22);
const AT = '2026-11-21T09:00:00.000Z';

function taskOf(fields: Partial<TrackedTask> = {}): PageTask {
  const shown: TrackedTask = {
    id: 7,
    code: 'TSK-1',
    name: 'Books',
    status: 'in_transit',
    outcome: null,
    timeline: [{ status: 'new', at: AT }],
    etaAt: AT,
    window: null,
    destination: { address: 'Here', latitude: 51.5, longitude: 0 },
    pin: '0417',
    packageCount: 1,
    agent: { firstName: 'Amina' },
    rating: null,
    ...fields,
  };
  return { shown, position: { latitude: 51.6, longitude: 0, recordedAt: AT, isStale: false } };
}

function pageOf(task: PageTask, organizationName = 'Kestrel'): string {
  const own = { shown: task.shown, agentId: null, endedAt: null };
  const link: Link = { organizationId: 1, organizationName, own, tasks: [own], diesAtMs: Number.POSITIVE_INFINITY };
  return trackingPage(link, [task], TOKEN);
}

const tagsOf = (page: string) =>
  page.match(/<!?\/?[a-z][a-z0-9]*[^>]*>/gi)!.map((tag) => tag.replace(/seen=[\w-]+/, ''));

test('hostile texts are texts in every field of a page, those of its stream too', () => {
  const plain = taskOf({ status: 'completed', rating: { score: 5, comment: 'c', ratedAt: AT } });
  for (const [what, text] of Object.entries(HOSTILE_TEXTS)) {
    const hostile = taskOf({
      status: 'completed',
      name: text,
      code: text,
      destination: { address: text, latitude: 51.5, longitude: 0 },
      agent: { firstName: text },
      rating: { score: 5, comment: text, ratedAt: AT },
    });
    const page = pageOf(hostile, text);
    assert.deepEqual(tagsOf(page), tagsOf(pageOf(plain)), what);
    assert.ok(!page.includes('\u202e'), what);
  }
});

test('a digest tells apart what shows, and nothing else', () => {
  const digest = (task: PageTask) => digestOfAll(changingParts([task], TOKEN));
  assert.equal(digest(taskOf()), digest(taskOf({ name: 'Another name' })));
  const moved = { ...taskOf(), position: { latitude: 51.7, longitude: 0, recordedAt: AT, isStale: false } };
  const all = [taskOf(), taskOf({ status: 'completed' }), taskOf({ etaAt: null }), moved].map(digest);
  assert.equal(new Set(all).size, all.length);
});

test('only a task that is on its way has a map, and only one that is completed a form', () => {
  for (const status of [
    'new',
    'awaiting_assignment',
    'assigned',
    'accepted',
    'in_transit',
    'completed',
    'cancelled',
  ] as const) {
    const page = pageOf(taskOf({ status }));
    assert.deepEqual(
      [page.includes('<svg'), page.includes('<form')],
      [status === 'in_transit', status === 'completed'],
      status,
    );
  }
});

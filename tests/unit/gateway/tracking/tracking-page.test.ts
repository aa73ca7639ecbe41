import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localTimeIn } from '../../../../engine/views/parts/local-time.ts';
import type { Link } from '../../../../gateway/tracking/open-tracking.ts';
import { changingParts, digestOfPage, tellingOf, trackingPage } from '../../../../gateway/tracking/tracking-page.ts';
import type { PageTask } from '../../../../gateway/tracking/tracking-parts.ts';
import { letterheadOf } from '../../../../schema/accounts/letterhead.ts';
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
    stopsBefore: null,
    arrivedAt: null,
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

function linkTo({ shown }: PageTask, organizationName = 'Kestrel', settings = {}): Link {
  const own = { shown, agentId: null, endedAt: null };
  const letterhead = letterheadOf({ name: organizationName, settings });
  return { organizationId: 1, letterhead, own, tasks: [own], diesAtMs: Number.POSITIVE_INFINITY };
}

function pageOf(task: PageTask, organizationName = 'Kestrel', settings = {}, now = AT): string {
  const link = linkTo(task, organizationName, settings);
  return trackingPage(link, [task], tellingOf(link, TOKEN, Date.parse(now)));
}

/** Runs of text that keep to themselves are text. */
const tagsOf = (page: string) =>
  page
    .replaceAll(/<span class="ltr">([^<]*)<\/span>/g, '$1')
    .match(/<!?\/?[a-z][a-z0-9]*[^>]*>/gi)!
    .map((tag) => tag.replace(/seen=[\w-]+/, ''));

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
  const digest = (task: PageTask) => {
    const link = linkTo(task);
    return digestOfPage(link, changingParts(link, [task], { token: TOKEN, times: localTimeIn('UTC'), now: AT }));
  };
  assert.equal(digest(taskOf({ arrivedAt: AT })), digest(taskOf({ arrivedAt: '2026-11-21T09:10:00.000Z' })));
  const moved = { ...taskOf(), position: { latitude: 51.7, longitude: 0, recordedAt: AT, isStale: false } };
  const fields: Partial<TrackedTask>[] = [
    { status: 'completed' },
    { etaAt: null },
    { arrivedAt: AT },
    { name: 'Another name' },
    { window: { start: AT, end: null } },
    { destination: { address: 'There', latitude: 51.5, longitude: 0 } },
    { packageCount: 2 },
    { pin: null },
  ];
  const all = [taskOf(), moved, ...fields.map(taskOf)].map(digest);
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

test('the page counts the stops before, and is silent while nobody knows', () => {
  for (const [stopsBefore, text] of [
    [0, 'You are the next stop'],
    [1, 'The courier has 1 stop before you'],
    [12, 'The courier has 12 stops before you'],
  ] as const)
    assert.ok(pageOf(taskOf({ stopsBefore })).includes(`<p>${text}</p>`), text);
  assert.ok(!/next stop|before you/.test(pageOf(taskOf())));
});

test('the page tells when the courier is expected until a minute after, and then that he has arrived', () => {
  const etaAt = '2026-11-21T09:10:00.000Z';
  const says = (fields: Partial<TrackedTask>, now: string) =>
    pageOf(taskOf({ etaAt, ...fields }), 'Kestrel', {}, now).match(/Expected <[^>]*>[^<]*|The courier has arrived/g) ??
    [];
  const expected = [`Expected <time datetime="${etaAt}">09:10`];
  assert.deepEqual(says({}, '2026-11-21T09:11:00.000Z'), expected);
  assert.deepEqual(says({}, '2026-11-21T09:11:00.001Z'), []);
  for (const now of [AT, '2026-11-21T09:30:00.000Z'])
    assert.deepEqual(says({ arrivedAt: '2026-11-21T08:59:00.000Z' }, now), ['The courier has arrived']);
  assert.deepEqual(says({ status: 'completed', arrivedAt: AT }, AT), []);
});

test('times are in the zone of the organization, with the date on any other day there', () => {
  const riyadh = { timeZone: 'Asia/Riyadh' };
  const late = taskOf({ etaAt: '2026-11-21T22:30:00.000Z', window: { start: '2026-11-21T20:00:00.000Z', end: null } });
  const before = pageOf(late, 'Kestrel', riyadh, '2026-11-21T20:59:00.000Z');
  assert.match(before, />22 Nov 2026, 01:30</);
  assert.match(before, />from 23:00</);
  assert.match(before, /Times are in Arabian Standard Time\./);
  const after = pageOf(late, 'Kestrel', riyadh, '2026-11-21T21:00:00.000Z');
  assert.match(after, />01:30</);
  assert.match(after, />from 21 Nov 2026, 23:00</);
  assert.match(pageOf(late, 'Kestrel', {}, '2026-11-21T20:59:00.000Z'), />22:30<[\s\S]*Times are in UTC\./);
});

test('a page tells how to reach the organization, as links, and nothing where there is no contact', () => {
  const contact = { phone: '+44 20 7946 0958', email: 'a&b?c@example.com' };
  const page = pageOf(taskOf(), 'Kestrel', { contact });
  assert.match(page, /<a href="tel:\+442079460958" dir="ltr">\+44 20 7946 0958<\/a>/);
  assert.match(page, /<a href="mailto:a%26b%3Fc%40example\.com" dir="ltr">a&amp;b\?c@example\.com<\/a>/);
  assert.doesNotMatch(pageOf(taskOf()), /class="contact"/);
});

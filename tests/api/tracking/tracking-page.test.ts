import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiReply } from '../../support/api-client.ts';
import { HOSTILE_TEXTS } from '../../support/seeds/hostile-texts.ts';
import { seedSession, seedUser } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { openPageStream, type PageStream } from './page-stream.ts';
import { type TrackingPlace, tokenOf, trackingPlace } from './tracking-place.ts';

let place: TrackingPlace;
const fixture = useGateway({}, async () => {
  place = await trackingPlace(fixture);
});
const streams: PageStream[] = [];
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

async function follow(token: string, query?: string, headers?: Readonly<Record<string, string>>): Promise<PageStream> {
  const stream = await openPageStream(fixture.gateway.baseUrl, token, query, headers);
  streams.push(stream);
  return stream;
}

const pageOf = ({ trackingUrl }: Pick<TaskView, 'trackingUrl'>) => place.ask<undefined>(trackingUrl);

function sendForm(token: string, fields: Record<string, string>): Promise<ApiReply<undefined>> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(fields).toString();
  return place.api.raw({ method: 'POST', path: `/t/${token}/rating`, headers, body });
}

const LEITH = { address: '7 Harbour Street, Leith', latitude: 55.97, longitude: -3.17 };

/** The sequence of tags: what of a page is more than text. Runs of text that keep to themselves are text. */
const tagsOf = (page: string) =>
  page
    .replaceAll(/<span class="ltr">([^<]*)<\/span>/g, '$1')
    .match(/<\/?[a-z][a-z0-9]*/gi)!
    .join('');

test('a page says without a script what its task has come to, is small, and may do next to nothing', async () => {
  const task = await place.api.createTask({ name: 'Two boxes of books' });
  const headlines = [];
  for (const status of ['new', 'assigned', 'accepted', 'in_transit', 'completed'] as const) {
    if (status === 'assigned') await place.assign(task.id);
    else if (status !== 'new') await place.step(task.id, status);
    const { status: answered, headers, text } = await pageOf(task);
    assert.equal(answered, 200, text);
    assert.ok(gzipSync(text).length < 40 * 1_024, `${gzipSync(text).length}`);
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; form-action 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    const told = ['referrer-policy', 'cache-control', 'x-robots-tag', 'x-content-type-options'].map(
      (name) => headers[name],
    );
    assert.deepEqual(told, ['no-referrer', 'no-store', 'noindex', 'nosniff']);
    assert.match(text, /<main>/);
    headlines.push(/<h2>([^<]*)/.exec(text)?.[1]);
  }
  assert.deepEqual(headlines, ['Order received', 'Courier found', 'Courier confirmed', 'On its way', 'Completed']);
  const other = await place.api.createTask();
  await place.step(other.id, 'cancelled');
  assert.match((await pageOf(other)).text, /<h2>Cancelled/);
});

test('a page shows where the agent is while the task is on its way, and nobody before or after', async () => {
  const task = await place.api.createTask();
  await place.bringTo(task.id, 'accepted');
  await place.moveAgent(51.5252, -0.1357);
  assert.ok(!(await pageOf(task)).text.includes('<svg'));
  await place.step(task.id, 'in_transit');
  assert.match((await pageOf(task)).text, /<svg[\s\S]*Courier 2 km away/);
  await place.step(task.id, 'completed');
  assert.ok(!(await pageOf(task)).text.includes('<svg'));
});

test('the page of a job shows each of its parts', async () => {
  const part = {
    customer: { name: 'Ada', phone: '+442079460001' },
    location: { address: 'X', latitude: 1, longitude: 2 },
  };
  const children = ['First stop', 'Second stop'].map((name) => ({ name, taskType: 'delivery', ...part }));
  const job = await place.api.createTask({ name: 'Round', children });
  const { text } = await pageOf(job);
  assert.deepEqual(text.match(/<article/g)?.length, 2);
  for (const name of ['Round', 'First stop', 'Second stop']) assert.ok(text.includes(name), name);
});

test('every link that shows nothing leads to one page, for any reason', async () => {
  const tokens = ['A'.repeat(22), 'x', 'A'.repeat(300), '%3Cscript%3E'];
  const replies = await Promise.all(tokens.map((token) => place.ask<undefined>(`/t/${token}`)));
  for (const { status, text } of replies) assert.deepEqual([status, text], [404, replies[0]!.text]);
  assert.equal((await follow('A'.repeat(22))).status, 404);
  assert.equal((await sendForm('A'.repeat(22), { taskId: '1', score: '5' })).status, 404);
});

test('a rating is sent by a form, once, and is shown', async () => {
  const task = await place.api.createTask();
  const token = tokenOf(task);
  const rate = (fields: object) => sendForm(token, { taskId: String(task.id), ...fields });
  await place.bringTo(task.id, 'in_transit');
  assert.equal((await rate({ score: '5' })).status, 409);
  await place.step(task.id, 'completed');
  const { text: form } = await pageOf(task);
  assert.match(form, /<form method="post"/);
  assert.doesNotMatch(form, /(?:href|action|data-events)="\//, 'a proxy may have taken off a path');
  for (const fields of [{}, { score: '6' }, { score: '5', comment: 'x'.repeat(LIMITS.ratingCommentChars + 1) }])
    assert.equal((await rate(fields)).status, 400, JSON.stringify(fields));
  assert.equal((await sendForm(token, { taskId: '1', score: '5' })).status, 404);
  const longest = `${'\u{1f4e6}'.repeat(LIMITS.ratingCommentChars / 2 - 1)}\r\n`;
  const { status, headers } = await rate({ score: '4', comment: longest });
  assert.deepEqual([status, headers.location], [303, `../..${task.trackingUrl}`]);
  assert.equal((await rate({ score: '1' })).status, 303);
  const { text } = await pageOf(task);
  assert.match(text, /4 of 5\. Thank you\.[\s\S]*\u{1f4e6}/u);
  assert.ok(!text.includes('<form'));
});

test('hostile texts stay texts, from the request to the page', async () => {
  const finish = async (name: string, fields: object, comment: string) => {
    const task = await place.api.createTask({ name, ...fields });
    await place.bringTo(task.id, 'completed');
    assert.equal((await place.rate(task.id, tokenOf(task), { score: 5, comment })).status, 201, name);
    return (await pageOf(task)).text;
  };
  const expected = tagsOf(await finish('Plain', {}, 'Plain'));
  const pages = Object.entries(HOSTILE_TEXTS).map(async ([what, text]) => {
    const location = { address: text, latitude: 51.5, longitude: -0.1 };
    const page = await finish(text, { code: text, location }, text);
    assert.equal(tagsOf(page), expected, what);
    assert.ok(!page.includes('\u202e'), what);
  });
  await Promise.all(pages);
});

test('an open page receives each change once', async () => {
  const task = await place.api.createTask();
  const token = tokenOf(task);
  const seen = /events(\?seen=[\w-]+)/.exec((await pageOf(task)).text)![1]!;
  const [fresh, knowing] = [await follow(token), await follow(token, seen)];
  await fresh.says('Order received');
  assert.equal(knowing.count, 0, 'it shows that already');
  await place.assign(task.id);
  await Promise.all([fresh.says('Courier found'), knowing.says('Courier found')]);
  await place.api.createTask();
  await place.bringTo((await place.api.createTask()).id, 'assigned');
  await place.step(task.id, 'accepted');
  await knowing.says('Courier confirmed');
  assert.deepEqual(Object.keys(knowing.parts).sort(), [`status-${task.id}`, `steps-${task.id}`, 'title']);
  await place.step(task.id, 'in_transit');
  await place.moveAgent(51.5252, -0.1357);
  await knowing.says('2 km away');
  await place.moveAgent(51.5342, -0.1357);
  await knowing.says('3 km away');
  await place.step(task.id, 'completed');
  await knowing.says('<form');
  assert.equal(knowing.parts[`map-${task.id}`], '');
});

test('an open page receives each change of what it shows of the order', async () => {
  const task = await place.api.createTask({ windowStart: '2030-01-01T10:00:00Z', windowEnd: '2030-01-01T12:00:00Z' });
  const path = `/tasks/${task.id}`;
  const seen = /events(\?seen=[\w-]+)/.exec((await pageOf(task)).text)![1]!;
  const stream = await follow(tokenOf(task), seen);
  const change = async (reply: Promise<ApiReply<unknown>>) => assert.ok((await reply).status < 300, (await reply).text);
  const window = { windowStart: '2030-02-03T14:00:00Z', windowEnd: '2030-02-03T16:00:00Z' };
  await change(place.api.post(`${path}/amend`, { ...window, location: LEITH }));
  await stream.says('3 Feb 2030, 14:00');
  await stream.says('7 Harbour Street, Leith');
  await change(place.api.patch(path, { windowStart: '2030-02-03T15:00:00Z' }));
  await stream.says('3 Feb 2030, 15:00');
  await change(place.api.post(`${path}/packages`, { name: 'Lamp', quantity: 3 }));
  await stream.says('<dt>Packages</dt><dd>3</dd>');
  assert.deepEqual(Object.keys(stream.parts), [`details-${task.id}`]);
  await change(place.api.patch(path, { name: 'A lamp for Leith' }));
  await stream.says('A lamp for Leith');
  const { count } = stream;
  await change(place.api.patch(path, { notes: 'The key is under the mat' }));
  await change(place.api.patch(path, { name: 'Three lamps' }));
  await stream.says('Three lamps');
  assert.equal(stream.count, count + 1, 'notes are not shown');
  assert.deepEqual(Object.keys(stream.parts), [`details-${task.id}`, `name-${task.id}`]);
});

test('a page that follows again gets what differs from what it was sent last, also when it is as the page was loaded', async () => {
  const task = await place.api.createTask({ name: 'A lamp' });
  const seen = /events(\?seen=[\w-]+)/.exec((await pageOf(task)).text)![1]!;
  const first = await follow(tokenOf(task), seen);
  const rename = (name: string) => place.api.patch(`/tasks/${task.id}`, { name });
  await rename('A chair');
  await first.says('A chair');
  first.close();
  const shown = { 'last-event-id': first.lastId! };
  const again = await follow(tokenOf(task), seen, shown);
  await rename('A lamp');
  const late = await follow(tokenOf(task), seen, shown);
  await Promise.all([again.says('A lamp'), late.says('A lamp')]);
  assert.deepEqual([again.count, again.lastId], [1, late.lastId]);
  assert.notEqual(again.lastId, first.lastId);
});

test('an open page takes the PIN away when its task has ended', async () => {
  const task = await place.api.createTask();
  const stream = await follow(tokenOf(task));
  await stream.says('<dt>PIN</dt>');
  await place.step(task.id, 'cancelled');
  await stream.says('Cancelled');
  assert.ok(!stream.parts[`details-${task.id}`]!.includes('PIN'));
});

test('the open page of a job receives its new name', async () => {
  const part = { taskType: 'delivery', customer: { name: 'Ada', phone: '+442079460001' }, location: LEITH };
  const children = ['First stop', 'Second stop'].map((name) => ({ ...part, name }));
  const job = await place.api.createTask({ name: 'Round', children });
  const stream = await follow(tokenOf(job));
  await stream.says('Second stop');
  assert.equal((await place.api.patch(`/tasks/${job.id}`, { name: 'Evening round' })).status, 200);
  await stream.says('Evening round');
  assert.equal(stream.parts[`name-${job.id}`], 'Evening round');
});

test('an open page ends with the link', async () => {
  const { databaseUrl } = fixture.gateway;
  const paused = await trackingPlace(fixture);
  const token = tokenOf(await paused.api.createTask());
  const stream = await follow(token);
  await stream.says('Order received');
  const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
  const admin = fixture.clientOf(await seedSession(databaseUrl, 0, userId));
  await admin.patch(`/organizations/${paused.organizationId}`, { status: 'inactive' });
  await stream.ends();
  assert.equal((await follow(token)).status, 404);
});

test('a link has only so many pages open at a time', async () => {
  const token = tokenOf(await place.api.createTask());
  for (let count = 0; count < LIMITS.trackingStreamsPerLink; count++) assert.equal((await follow(token)).status, 200);
  assert.equal((await follow(token)).status, 429);
  assert.equal((await follow(tokenOf(await place.api.createTask()))).status, 200);
});

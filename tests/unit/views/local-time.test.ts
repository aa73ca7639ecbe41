import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localTimeIn } from '../../../engine/views/parts/local-time.ts';

const AT = '2026-03-29T00:30:00.000Z';

test('a time has its date unless it is of the day that it is now in the zone', () => {
  const kiritimati = localTimeIn('Pacific/Kiritimati');
  assert.equal(kiritimati.moment(AT), '29 Mar 2026, 14:30');
  assert.equal(kiritimati.moment(AT, '2026-03-28T10:00:00.000Z'), '14:30');
  assert.equal(kiritimati.moment(AT, '2026-03-28T09:59:59.999Z'), '29 Mar 2026, 14:30');
});

test('a zone has the short name of the season, and one name all the year round', () => {
  const berlin = localTimeIn('Europe/Berlin');
  const hourLater = '2026-03-29T01:30:00.000Z';
  assert.deepEqual([berlin.moment(AT), berlin.zone(AT)], ['29 Mar 2026, 01:30', 'CET']);
  assert.deepEqual([berlin.moment(hourLater), berlin.zone(hourLater)], ['29 Mar 2026, 03:30', 'CEST']);
  assert.deepEqual([berlin.name, localTimeIn('UTC').name], ['Central European Time', 'UTC']);
});

test('a window has each date once', () => {
  const utc = localTimeIn('UTC');
  const [start, late, next] = ['2026-03-28T22:00:00.000Z', '2026-03-28T23:59:00.000Z', AT];
  assert.equal(utc.window({ start, end: late }), '28 Mar 2026, 22:00–23:59');
  assert.equal(utc.window({ start, end: late }, start), '22:00–23:59');
  assert.equal(utc.window({ start, end: next }, start), '22:00–29 Mar 2026, 00:30');
  assert.equal(utc.window({ start, end: null }, start), 'from 22:00');
  assert.equal(utc.window({ start: null, end: late }, next), 'by 28 Mar 2026, 23:59');
  assert.equal(utc.window({ start: null, end: null }), undefined);
});

test('a window across a change of the clocks has the names of the zone', () => {
  const berlin = localTimeIn('Europe/Berlin');
  const [first, again] = ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'];
  assert.equal(berlin.window({ start: first, end: again }, first), '02:30 CEST–02:30 CET');
  assert.equal(
    berlin.window({ start: '2026-10-24T20:00:00.000Z', end: again }),
    '24 Oct 2026, 22:00 CEST–25 Oct 2026, 02:30 CET',
  );
  assert.equal(berlin.zonedWindow({ start: first, end: again }), '25 Oct 2026, 02:30 CEST–02:30 CET');
  assert.equal(berlin.zonedWindow({ start: null, end: again }), 'by 25 Oct 2026, 02:30 CET');
  assert.equal(berlin.zonedWindow({ start: null, end: null }), undefined);
});

test('a time that the clocks show twice has the name of the zone, wherever it stands', () => {
  const berlin = localTimeIn('Europe/Berlin');
  const [first, again] = ['2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z'];
  assert.deepEqual([berlin.moment(first, first), berlin.moment(again)], ['02:30 CEST', '31 Oct 2027, 02:30 CET']);
  assert.deepEqual([berlin.stamp(first), berlin.stamp(again)], ['2027-10-31 02:30 CEST', '2027-10-31 02:30 CET']);
  assert.deepEqual(
    [berlin.zonedMoment(again), berlin.zonedMoment(AT)],
    ['31 Oct 2027, 02:30 CET', '29 Mar 2026, 01:30 CET'],
  );
  assert.equal(berlin.window({ start: first, end: null }, first), 'from 02:30 CEST');
  assert.equal(berlin.window({ start: null, end: again }, first), 'by 02:30 CET');
  const [before, after] = ['2027-10-30T23:30:00.000Z', '2027-10-31T02:30:00.000Z'];
  assert.equal(berlin.window({ start: before, end: first }, first), '01:30–02:30 CEST');
  assert.equal(berlin.window({ start: again, end: after }, first), '02:30 CET–03:30');
  assert.equal(berlin.zonedWindow({ start: null, end: again }), 'by 31 Oct 2027, 02:30 CET');
});

test('a time that comes once has no zone, also beside a change of the clocks', () => {
  const berlin = localTimeIn('Europe/Berlin');
  for (const at of [
    '2027-10-30T23:59:59.000Z',
    '2027-10-31T02:00:00.000Z',
    '2027-03-28T00:59:00.000Z',
    '2027-03-28T01:00:00.000Z',
  ])
    assert.doesNotMatch(berlin.stamp(at), /CE/, at);
  assert.match(berlin.stamp('2027-10-31T00:00:00.000Z'), / 02:00 CEST$/);
  assert.match(berlin.stamp('2027-10-31T01:59:00.000Z'), / 02:59 CET$/);
  const island = localTimeIn('Australia/Lord_Howe');
  assert.deepEqual(
    [island.stamp('2027-04-03T14:40:00.000Z'), island.stamp('2027-04-03T15:10:00.000Z')],
    ['2027-04-04 01:40 GMT+11', '2027-04-04 01:40 GMT+10:30'],
  );
  assert.equal(island.stamp('2027-04-03T14:20:00.000Z'), '2027-04-04 01:20');
});

test('a stamp for paper sorts as text, midnight included', () => {
  assert.equal(localTimeIn('UTC').stamp('2026-01-02T00:05:00.000Z'), '2026-01-02 00:05');
});

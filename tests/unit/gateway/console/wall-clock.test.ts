import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { momentIn, timeText, wallClock } from '../../../../gateway/console/time/wall-clock.ts';

/** By the IANA database, checked with zdump. */
const MOMENTS: readonly (readonly [what: string, zone: string, local: string, moment: string])[] = [
  ['no change of the clock', 'UTC', '2027-05-01T14:30', '2027-05-01T14:30Z'],
  ['summer', 'Europe/Berlin', '2027-07-01T14:30', '2027-07-01T12:30Z'],
  ['the minute before a skipped hour', 'Europe/Berlin', '2027-03-28T01:59', '2027-03-28T00:59Z'],
  ['a skipped hour', 'Europe/Berlin', '2027-03-28T02:30', '2027-03-28T01:30Z'],
  ['the minute after a skipped hour', 'Europe/Berlin', '2027-03-28T03:00', '2027-03-28T01:00Z'],
  ['the hour before one that comes twice', 'Europe/Berlin', '2027-10-31T01:59', '2027-10-30T23:59Z'],
  ['an hour that comes twice', 'Europe/Berlin', '2027-10-31T02:30', '2027-10-31T00:30Z'],
  ['the hour after one that comes twice', 'Europe/Berlin', '2027-10-31T03:00', '2027-10-31T02:00Z'],
  ['the minute before a skipped hour', 'America/New_York', '2027-03-14T01:59', '2027-03-14T06:59Z'],
  ['a skipped hour', 'America/New_York', '2027-03-14T02:30', '2027-03-14T07:30Z'],
  ['the minute after a skipped hour', 'America/New_York', '2027-03-14T03:00', '2027-03-14T07:00Z'],
  ['an hour that comes twice', 'America/New_York', '2027-11-07T01:30', '2027-11-07T05:30Z'],
  ['the hour after one that comes twice', 'America/New_York', '2027-11-07T02:00', '2027-11-07T07:00Z'],
  ['a skipped midnight', 'America/Santiago', '2027-09-05T00:30', '2027-09-05T04:30Z'],
  ['the hour before midnight twice', 'America/Santiago', '2027-04-03T23:30', '2027-04-04T02:30Z'],
  ['a skipped hour', 'America/St_Johns', '2027-03-14T02:30', '2027-03-14T06:00Z'],
  ['a skipped half hour', 'Australia/Lord_Howe', '2027-10-03T02:15', '2027-10-02T15:45Z'],
  ['a half hour that comes twice', 'Australia/Lord_Howe', '2027-04-04T01:45', '2027-04-03T14:45Z'],
  ['a skipped day', 'Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00Z'],
  ['far east', 'Pacific/Kiritimati', '2027-05-01T00:00', '2027-04-30T10:00Z'],
  ['the end of a day', 'Europe/Berlin', '2027-02-28T24:00', '2027-02-28T23:00Z'],
  ['a leap day', 'Europe/Berlin', '2028-02-29T10:00', '2028-02-29T09:00Z'],
  ['a year that is being typed', 'UTC', '0002-05-01T14:30', '0002-05-01T14:30Z'],
];

describe('a time of the clock is its moment, in a skipped hour the one after it and in an hour that comes twice the first', () => {
  for (const [what, zone, local, moment] of MOMENTS)
    test(`${local} in ${zone}: ${what}`, () => {
      const ms = momentIn(local, zone);
      assert.equal(ms, Date.parse(moment));
      if (/^a skipped|end of a day/.test(what)) return;
      assert.equal(wallClock(ms!, zone), local);
    });
});

test('seconds of a time stay', () => {
  assert.equal(momentIn('2027-05-01T14:30:15', 'America/New_York'), Date.parse('2027-05-01T18:30:15Z'));
});

test('a day or an hour that does not exist has no moment', () => {
  const none = ['', '2027-05', '2027-13-01T10:00', '2027-02-29T10:00', '2027-02-30T10:00', '2027-04-31T14:00'];
  for (const local of [...none, '2027-05-32T10:00', '2027-05-01T24:01', '2027-05-01T25:00', '2027-05-01T14:60'])
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York']) assert.equal(momentIn(local, zone), null, local);
});

test('a time is shown with its day when it is not today, and with its year when it is of another one', () => {
  const table: readonly (readonly [zone: string, now: string, at: string, shown: string])[] = [
    ['UTC', '2026-11-28T09:00Z', '2026-11-28T13:00Z', '13:00'],
    ['UTC', '2026-11-28T09:00Z', '2026-11-29T13:00Z', '29 Nov, 13:00'],
    ['UTC', '2026-11-28T09:00Z', '2027-11-28T13:00Z', '28 Nov 2027, 13:00'],
    ['UTC', '2026-11-28T09:00Z', '2027-11-29T13:00Z', '29 Nov 2027, 13:00'],
    ['UTC', '2026-11-28T09:00Z', '2025-11-28T13:00Z', '28 Nov 2025, 13:00'],
    ['Europe/Berlin', '2026-12-31T23:30Z', '2027-01-01T08:00Z', '09:00'],
    ['Europe/Berlin', '2026-12-31T22:30Z', '2026-12-31T23:30Z', '1 Jan 2027, 00:30'],
    ['America/New_York', '2026-12-31T22:30Z', '2027-01-01T03:30Z', '22:30'],
  ]; // biome-ignore format: one row a case
  for (const [zone, now, at, shown] of table)
    assert.equal(timeText(Date.parse(at), Date.parse(now), zone), shown, `${at} at ${now}`);
});

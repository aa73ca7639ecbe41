import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { midnightMs } from '../../../../gateway/console/time/midnight.ts';

/** By the IANA database, checked with zdump. */
const TABLE: readonly (readonly [what: string, zone: string, now: string, midnight: string])[] = [
  ['an ordinary day', 'Europe/Berlin', '2026-03-27T12:00:00Z', '2026-03-26T23:00:00Z'],
  ['the clock goes forward later that day', 'Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-28T23:00:00Z'],
  ['the clock has gone forward', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z'],
  ['the day after that', 'Europe/Berlin', '2026-03-30T12:00:00Z', '2026-03-29T22:00:00Z'],
  ['the clock has gone back', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z'],
  ['the last minute of the longest day', 'Europe/Berlin', '2026-10-25T22:59:59.999Z', '2026-10-24T22:00:00Z'],
  ['midnight itself', 'Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-25T23:00:00Z'],
  ['no change of the clock', 'UTC', '2026-10-25T23:59:59Z', '2026-10-25T00:00:00Z'],
  ['half an hour', 'Asia/Kolkata', '2026-06-01T18:29:59Z', '2026-05-31T18:30:00Z'],
  ['three quarters of an hour', 'Asia/Kathmandu', '2026-06-01T18:15:00Z', '2026-06-01T18:15:00Z'],
  ['the clock changes by half an hour', 'Australia/Lord_Howe', '2026-10-04T12:00:00Z', '2026-10-03T13:30:00Z'],
  ['west of Greenwich', 'America/St_Johns', '2026-11-01T20:00:00Z', '2026-11-01T02:30:00Z'],
  ['a skipped midnight', 'America/Santiago', '2026-09-06T12:00:00Z', '2026-09-06T04:00:00Z'],
  ['another one', 'Asia/Beirut', '2026-03-29T12:00:00Z', '2026-03-28T22:00:00Z'],
  ['a midnight that strikes twice', 'America/Havana', '2026-11-01T12:00:00Z', '2026-11-01T04:00:00Z'],
  ['the hour before midnight twice', 'America/Santiago', '2026-04-05T03:30:00Z', '2026-04-04T03:00:00Z'],
];

describe('the day of a zone begins at its first moment', () => {
  for (const [what, zone, now, midnight] of TABLE)
    test(`${zone} at ${now}: ${what}`, () =>
      assert.equal(new Date(midnightMs(Date.parse(now), zone)).toISOString(), new Date(midnight).toISOString()));
});

test('the beginning of a day stays the same through the day, and goes back with the clock of the machine', () => {
  const at = (now: string) => midnightMs(Date.parse(now), 'Europe/Berlin');
  const day = at('2026-10-25T06:00:00Z');
  assert.equal(at('2026-10-25T22:59:00Z'), day);
  assert.equal(at('2026-10-25T23:00:00Z') - day, 25 * 3_600_000);
  assert.equal(at('2026-10-24T22:00:00Z'), day);
});

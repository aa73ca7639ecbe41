import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeText } from '../../../../gateway/console/page/wall-clock.ts';

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

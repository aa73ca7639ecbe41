import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STALE_MS } from '../../../../../gateway/console/live/heard.ts';
import { courierDayOf, courierPins } from '../../../../../gateway/console/live/parts/summaries.ts';
import { Records } from '../../../../../gateway/console/live/records.ts';
import type { AgentView } from '../../../../../schema/fleet/agent.ts';
import type { PositionView } from '../../../../../schema/fleet/position.ts';

const NOW = Date.parse('2031-05-01T12:00:00.000Z');
const COURIER = 7;

/** A courier whose position the stream has told once, as one that is not stale. */
function heardOnce(onDuty: boolean): Records {
  const records = new Records();
  const agent = { id: COURIER, onDuty, dutyChangedAt: null, shift: null, skills: [], vehicle: null };
  records.putAgent(agent as unknown as AgentView, 1);
  const recordedAt = new Date(NOW).toISOString();
  records.putPosition({ agentId: COURIER, recordedAt, receivedAt: recordedAt, isStale: false } as PositionView);
  return records;
}

const pinsAt = (records: Records, nowMs: number) => courierPins(records, nowMs).map(({ isStale }) => isStale);

test('a position of which nothing more is heard grows old by itself, on the map and on the page of the courier', () => {
  const records = heardOnce(true);
  const isOldAt = (nowMs: number) => courierDayOf(records, COURIER, { todayMs: NOW, nowMs })!.isStale;
  assert.deepEqual([pinsAt(records, NOW + STALE_MS), isOldAt(NOW + STALE_MS)], [[false], false]);
  assert.deepEqual([pinsAt(records, NOW + STALE_MS + 1), isOldAt(NOW + STALE_MS + 1)], [[true], true]);
});

test('a courier off duty leaves the map once his position is old', () => {
  const records = heardOnce(false);
  assert.deepEqual(pinsAt(records, NOW + STALE_MS), [false]);
  assert.deepEqual(pinsAt(records, NOW + STALE_MS + 1), []);
});

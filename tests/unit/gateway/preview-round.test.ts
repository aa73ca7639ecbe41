import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STRAIGHT_WAYS } from '../../../engine/domain/travel/known-ways.ts';
import { computeRound } from '../../../engine/planning/compute-round.ts';
import { previewRound } from '../../../gateway/preview/preview-round.ts';
import { assignmentSettingsOf } from '../../../schema/assignment/assignment.ts';
import type { WorkShift } from '../../../schema/fleet/shift.ts';
import { soughtTask } from '../sought-task.ts';

const NOW = Date.UTC(2026, 10, 21, 10);
const HOUR = 3_600_000;
const iso = (hours: number) => new Date(NOW + hours * HOUR).toISOString();
const shift = (from: number, until: number): WorkShift => ({ startsAt: iso(from), endsAt: iso(until), breaks: [] });

/** The preview of a round in so many hours, with one task and one agent with these shifts. */
async function previewIn(hours: number, shifts: readonly WorkShift[]) {
  const device = { accuracy: 1, speed: 0, heading: 0, altitude: 0, battery: 1 };
  const seen = { recordedAtMs: NOW, receivedAtMs: NOW, heardAtMs: 0, latitude: 1, longitude: 2 };
  const agents = [{ agentId: 7, vehicle: null, skills: [], shifts, home: null }];
  const tasks = [soughtTask(1, NOW, { latitude: 1, longitude: 2.01 })];
  const { offers, unplanned } = await previewRound(
    {
      store: { readRound: async () => ({ tasks, agents, carried: [], knowsCarried: true }) },
      readSettings: async () => assignmentSettingsOf({}),
      positions: { load: async () => [{ agentId: 7, ...seen, ...device }] },
      travel: { ...STRAIGHT_WAYS, prepare: async () => null },
      planner: { plan: async (input) => computeRound(input) },
      clock: { now: () => NOW, monotonic: () => 0 },
    },
    1,
    { at: iso(hours) },
  );
  return { asked: offers.map(({ agentId }) => agentId), reasons: unplanned.map(({ counts }) => counts) };
}

test('a preview of a later time follows the shifts of that time', async () => {
  const split = [shift(-2, 2), shift(4, 8)];
  const asked = { asked: [7], reasons: [] };
  const absent = { asked: [], reasons: [{ off_shift: 1 }] };
  assert.deepEqual(await previewIn(0, split), asked);
  assert.deepEqual(await previewIn(3, split), absent, 'between two shifts');
  assert.deepEqual(await previewIn(5, split), asked, 'in the second shift');
  assert.deepEqual(await previewIn(24, [shift(22, 30)]), asked, 'in a shift of tomorrow');
  assert.deepEqual(await previewIn(0, [shift(22, 30)]), absent);
});

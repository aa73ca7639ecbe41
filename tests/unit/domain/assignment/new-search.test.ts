import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSearch } from '../../../../engine/domain/assignment/assignment-machine.ts';
import { assignmentSettingsOf } from '../../../../schema/assignment/assignment.ts';

const NOW = '2030-05-01T12:00:00.000Z';
const LATER = '2030-05-01T15:00:00.000Z';
const ANY_TIME = { scheduledAt: null, windowEnd: null, readyAt: null };

test('a search knows since when its task counts as waiting, for every kind of end', () => {
  const settings = { ...assignmentSettingsOf({}), leadMinutes: 30 };
  for (const [fields, since] of [
    [{}, NOW],
    [{ windowEnd: LATER }, NOW],
    [{ readyAt: LATER }, LATER],
    [{ scheduledAt: LATER }, '2030-05-01T14:30:00.000Z'],
  ] as const)
    for (const searchTimeoutSeconds of [10, 900])
      assert.equal(newSearch({ ...ANY_TIME, ...fields }, { ...settings, searchTimeoutSeconds }, NOW).since, since);
});

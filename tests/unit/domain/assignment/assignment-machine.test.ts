import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeAnswer, newSearch } from '../../../../engine/domain/assignment/assignment-machine.ts';
import { assignmentSettingsOf } from '../../../../schema/assignment/assignment.ts';

const NOW = '2030-05-01T12:00:00.000Z';
const LATER = '2030-05-01T15:00:00.000Z';
const ANY_TIME = { scheduledAt: null, windowStart: null, windowEnd: null, readyAt: null };

test('a search knows since when its task counts as waiting, for every kind of end', () => {
  const settings = { ...assignmentSettingsOf({}), leadMinutes: 30 };
  for (const [fields, since] of [
    [{}, NOW],
    [{ windowEnd: LATER }, NOW],
    [{ readyAt: LATER }, LATER],
    [{ windowStart: LATER }, LATER],
    [{ scheduledAt: LATER }, '2030-05-01T14:30:00.000Z'],
  ] as const)
    for (const searchTimeoutSeconds of [10, 900])
      assert.equal(newSearch({ ...ANY_TIME, ...fields }, { ...settings, searchTimeoutSeconds }, NOW).since, since);
});

test('a search ends with the window of its task, and without a window when its time is over', () => {
  const settings = { ...assignmentSettingsOf({}), searchTimeoutSeconds: 600 };
  assert.equal(newSearch({ ...ANY_TIME, windowEnd: LATER }, settings, NOW).until, LATER);
  assert.equal(newSearch(ANY_TIME, settings, NOW).until, '2030-05-01T12:10:00.000Z');
});

for (const [status, rejectionReason, accept, reject] of [
  ['pending', null, 'answered', 'answered'],
  ['accepted', null, 'unchanged', 'ASSIGNMENT_REQUEST_CLOSED'],
  ['rejected', null, 'ASSIGNMENT_REQUEST_CLOSED', 'unchanged'],
  ['expired', null, 'ASSIGNMENT_REQUEST_EXPIRED', 'ASSIGNMENT_REQUEST_EXPIRED'],
  ['cancelled', 'taken', 'ASSIGNMENT_ALREADY_TAKEN', 'ASSIGNMENT_ALREADY_TAKEN'],
  ['cancelled', 'withdrawn', 'ASSIGNMENT_REQUEST_CLOSED', 'ASSIGNMENT_REQUEST_CLOSED'],
] as const) {
  const name = rejectionReason ? `${status} request (${rejectionReason})` : `${status} request`;
  test(`a ${name} answers ${accept} to acceptance and ${reject} to rejection`, () => {
    const judge = (answer: 'accept' | 'reject', now: string) => {
      const verdict = judgeAnswer({ status, rejectionReason, expiresAt: LATER }, answer, now);
      return typeof verdict === 'string' ? verdict : verdict.code;
    };
    assert.deepEqual([judge('accept', NOW), judge('reject', NOW)], [accept, reject]);
    if (status === 'pending') assert.equal(judge('accept', LATER), 'ASSIGNMENT_REQUEST_EXPIRED', 'its end is excluded');
  });
}

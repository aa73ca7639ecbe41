import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterFailure,
  afterSuccess,
  type EndpointCircuit,
  isGivenUp,
  isOnTrial,
  isPaused,
} from '../../../../engine/domain/outbound/endpoint-circuit.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const NOW = Date.parse('2026-11-21T04:00:00.000Z');
const DAY = 86_400_000;

/** Fails so often, each time as soon as the pause is over. */
function failing(times: number, state: EndpointCircuit = afterSuccess()): EndpointCircuit {
  for (let i = 0; i < times; i++) state = afterFailure(state, state.pausedUntilMs ?? NOW, undefined);
  return state;
}

test('fewer failures in a row than it takes pause nothing', () => {
  const state = failing(4);
  assert.deepEqual(state, { failures: 4, failingSinceMs: NOW, pausedUntilMs: null });
  assert.deepEqual([isPaused(state, NOW), isOnTrial(state, NOW), isGivenUp(state, NOW)], [false, false, false]);
});

test('the fifth failure in a row pauses, and each one after a pause for twice as long, up to a minute', () => {
  const pauses: number[] = [];
  let state = failing(4);
  for (let i = 0; i < 8; i++) {
    const failedAt = state.pausedUntilMs ?? NOW;
    state = afterFailure(state, failedAt, undefined);
    pauses.push((state.pausedUntilMs! - failedAt) / 1_000);
  }
  assert.deepEqual(pauses, [2, 4, 8, 16, 32, 60, 60, 60]);
});

test('after the pause it is on trial, and a success closes the circuit', () => {
  const state = failing(5);
  const until = NOW + LIMITS.webhookFirstPauseMs;
  assert.deepEqual([isPaused(state, until - 1), isOnTrial(state, until - 1)], [true, false]);
  assert.deepEqual([isPaused(state, until), isOnTrial(state, until)], [false, true]);
  assert.deepEqual(afterSuccess(), { failures: 0, failingSinceMs: null, pausedUntilMs: null });
});

test('failures that arrive during a pause neither count nor make it longer', () => {
  const paused = failing(5);
  let state = paused;
  for (let i = 1; i <= 11; i++) state = afterFailure(state, NOW + i, undefined);
  assert.deepEqual(state, paused);
});

test('Retry-After pauses from the first failure on, lengthens a pause, never shortens it, and is capped', () => {
  assert.equal(afterFailure(afterSuccess(), NOW, 7_000).pausedUntilMs, NOW + 7_000);
  assert.equal(afterFailure(failing(4), NOW, 7_000).pausedUntilMs, NOW + 7_000);
  assert.equal(afterFailure(failing(4), NOW, 1_000).pausedUntilMs, NOW + 2_000);
  assert.equal(afterFailure(afterSuccess(), NOW, 9 * DAY).pausedUntilMs, NOW + DAY);
  const paused = afterFailure(afterSuccess(), NOW, 7_000);
  assert.equal(afterFailure(paused, NOW + 1, 1_000).pausedUntilMs, NOW + 7_000);
  assert.equal(afterFailure(paused, NOW + 1, 60_000).pausedUntilMs, NOW + 60_001);
});

test('five days of nothing but failures give it up, a success in between does not', () => {
  let state = failing(1);
  state = afterFailure(state, NOW + 5 * DAY - 1, undefined);
  assert.equal(isGivenUp(state, NOW + 5 * DAY - 1), false);
  assert.equal(isGivenUp(state, NOW + 5 * DAY), true);
  assert.equal(isGivenUp(afterSuccess(), NOW + 5 * DAY), false);
  assert.equal(isGivenUp(afterFailure(afterSuccess(), NOW + 4 * DAY, undefined), NOW + 5 * DAY), false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Place, TravelTime } from '../../../engine/domain/assignment/round-view.ts';
import {
  DROPOFF_SERVICE_MS,
  PICKUP_SERVICE_MS,
  type RouteTask,
  whereFree,
} from '../../../engine/planning/where-free.ts';
import { LIMITS } from '../../../schema/limits.ts';

const NOW = 1_000_000_000_000;
/** A degree of longitude takes a second, and nothing else matters. */
const travel: TravelTime = (from, to) => {
  const ms = Math.abs(to.longitude - from.longitude) * 1_000;
  return { distanceM: ms, ms };
};
const at = (longitude: number): Place => ({ latitude: 0, longitude });

function task(fields: Partial<RouteTask>): RouteTask {
  return {
    taskId: 1,
    status: 'accepted',
    assignedAt: 0,
    hasArrived: false,
    readyAt: null,
    slot: null,
    pickup: null,
    pickupKey: null,
    dropoff: null,
    ...fields,
  };
}

function freeAfter(...tasks: readonly RouteTask[]) {
  const { place, freeAt } = whereFree(at(0), 'car', tasks, NOW, travel);
  return [place.longitude, freeAt - NOW];
}

test('an idle agent is free now, where it is', () => {
  assert.deepEqual(freeAfter(), [0, 0]);
});

test('carried orders are brought first, then the others are fetched', () => {
  const aboard = task({ taskId: 2, status: 'in_transit', assignedAt: 5, dropoff: at(10) });
  const waiting = task({ taskId: 1, assignedAt: 1, pickup: at(4), pickupKey: '4', dropoff: at(6) });
  const ways = (10 + 6 + 2) * 1_000;
  assert.deepEqual(freeAfter(waiting, aboard), [6, ways + 2 * DROPOFF_SERVICE_MS + PICKUP_SERVICE_MS]);
});

test('an agent at the door only hands the order over', () => {
  const arrived = task({ status: 'in_transit', hasArrived: true, dropoff: at(3) });
  assert.deepEqual(freeAfter(arrived), [3, DROPOFF_SERVICE_MS]);
});

test('orders that wait at one place are fetched together, when the last of them is ready', () => {
  const shared = { pickup: at(2), pickupKey: '2' };
  const first = task({ taskId: 1, assignedAt: 1, ...shared, dropoff: at(3), readyAt: NOW + 60_000 });
  const other = task({ taskId: 2, assignedAt: 2, pickup: at(9), pickupKey: '9', dropoff: at(9) });
  const second = task({ taskId: 3, assignedAt: 3, ...shared, dropoff: at(5), readyAt: NOW + 90_000 });
  const until = 90_000 + (1 + 2 + 4) * 1_000;
  assert.deepEqual(freeAfter(first, other, second), [9, until + 2 * PICKUP_SERVICE_MS + 3 * DROPOFF_SERVICE_MS]);
});

test('a scheduled task whose time has not come is not waited for, one whose time is now is', () => {
  const slot = (from: number) => ({ from: NOW + from, until: NOW + from + 3_600_000 });
  const later = task({ slot: slot(3_600_000), dropoff: at(7) });
  const now = task({ slot: slot(0), dropoff: at(7) });
  assert.deepEqual(freeAfter(later), [0, 0]);
  assert.deepEqual(freeAfter(now), [7, 7_000 + DROPOFF_SERVICE_MS]);
});

test('a way is followed along a bounded number of tasks', () => {
  const many = Array.from({ length: LIMITS.routeTasks + 20 }, (_, index) =>
    task({ taskId: index + 1, dropoff: at(1) }),
  );
  assert.deepEqual(freeAfter(...many), [1, 1_000 + LIMITS.routeTasks * DROPOFF_SERVICE_MS]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskPin } from '../../../../gateway/console/live/protocol.ts';
import { idsInside, inPlannedOrder, looksAlike, taskFeatures } from '../../../../gateway/console/map/task-features.ts';

const pin = (id: number, fields: Partial<TaskPin>): TaskPin => ({
  id,
  longitude: 13.4,
  latitude: 52.5,
  pickup: null,
  status: 'in_transit',
  isLate: false,
  agentId: 1,
  etaAtMs: null,
  order: 0,
  ...fields,
});

test('late pins lie over unassigned ones, and these over those on their way', () => {
  const { features } = taskFeatures([pin(1, { isLate: true }), pin(2, {}), pin(3, { status: 'new' })], null);
  const byRank = [...features].sort((a, b) => Number(a.properties?.['rank']) - Number(b.properties?.['rank']));
  assert.deepEqual(
    byRank.map(({ properties }) => properties?.['id']),
    [2, 3, 1],
  );
});

test('the stops of a courier are his own tasks, the present one first, then by the expected time', () => {
  const pins = [pin(1, { order: 300 }), pin(2, { order: 100 }), pin(3, { order: 0 }), pin(4, { agentId: 2 })];
  assert.deepEqual(
    inPlannedOrder(pins, 1).map(({ id }) => id),
    [3, 2, 1],
  );
});

test('a box selects the tasks inside it, its edges included', () => {
  const box = { west: 13.4, south: 52.5, east: 13.5, north: 52.6 };
  const pins = [
    pin(1, {}),
    pin(2, { longitude: 13.45, latitude: 52.55 }),
    pin(3, { longitude: 13.39 }),
    pin(4, { latitude: 52.61 }),
  ];
  assert.deepEqual(idsInside(pins, box), [1, 2]);
});

test('a task is drawn again when it looks different, and not when only its estimate has changed', () => {
  const before = pin(1, {});
  assert.equal(looksAlike(undefined, before), false);
  assert.equal(looksAlike(before, pin(1, { etaAtMs: 1_000, order: 1_000 })), true);
  const changes: Partial<TaskPin>[] = [
    { longitude: 13.5 },
    { latitude: 52.6 },
    { status: 'assigned' },
    { isLate: true },
    { agentId: 2 },
  ];
  for (const change of changes) {
    assert.equal(looksAlike(before, pin(1, change)), false, JSON.stringify(change));
    assert.notDeepEqual(taskFeatures([before], 1), taskFeatures([pin(1, change)], 1), JSON.stringify(change));
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskPin } from '../../../../gateway/console/live/protocol.ts';
import { taskFeatures } from '../../../../gateway/console/map/task-features.ts';

test('late pins lie over unassigned ones, and these over those on their way', () => {
  const pin = (id: number, fields: Partial<TaskPin>): TaskPin => ({
    id,
    longitude: 13.4,
    latitude: 52.5,
    pickup: null,
    status: 'in_transit',
    isLate: false,
    agentId: 1,
    order: 0,
    ...fields,
  });
  const { features } = taskFeatures([pin(1, { isLate: true }), pin(2, {}), pin(3, { status: 'new' })], null);
  const byRank = [...features].sort((a, b) => Number(a.properties?.['rank']) - Number(b.properties?.['rank']));
  assert.deepEqual(
    byRank.map(({ properties }) => properties?.['id']),
    [2, 3, 1],
  );
});

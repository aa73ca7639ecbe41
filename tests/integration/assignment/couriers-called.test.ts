import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { until } from '../../support/until.ts';
import { startRoundsPlace } from './rounds-place.ts';

const VAN = { externalId: 'van-1', name: 'Vera', vehicleType: 'van', maxWeightKg: 50 };

test('a task that no agent can take goes to an external courier, one that an agent can take does not', async () => {
  const assignment = { externalCouriers: true, externalFleet: [VAN] };
  const place = await startRoundsPlace({ agents: 1, vehicle: { type: 'bike', maxWeightKg: 10 }, assignment });
  try {
    await place.locate();
    await place.startWorkers();
    const weighing = (weight: number) => place.createTask({ packages: [{ name: 'a box', weight }] });
    const [light, heavy, heaviest] = [await weighing(5), await weighing(40), await weighing(60)];
    const read = async ({ id }: TaskView) => (await place.api.get<TaskView>(`/tasks/${id}`)).body.data;
    await until('the van has it', async () => (await read(heavy)).courierType === 'external');
    const { courier, status, autoAssignmentStatus } = await read(heavy);
    assert.equal(courier?.externalId, 'van-1');
    assert.deepEqual([status, autoAssignmentStatus], ['accepted', 'assigned']);
    assert.equal((await place.untilOffered(light.id)).agentId, place.agentIds[0]);
    assert.equal((await read(light)).courier, null);
    await until('rounds have looked at it', async () => (await read(heaviest)).autoAssignmentStatus === 'searching');
    assert.equal((await read(heaviest)).courier, null);
    const done = await place.api.put(`/tasks/${heavy.id}/status`, { status: 'in_transit' });
    assert.equal(done.status, 200, done.text);
  } finally {
    await place.stop();
  }
});

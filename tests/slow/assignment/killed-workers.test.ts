import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { startRoundsPlace } from '../../integration/assignment/rounds-place.ts';

test('workers killed again and again amid rounds leave no task without an offer, and none with two', async () => {
  const place = await startRoundsPlace({ agents: 60 });
  try {
    await place.locate();
    const tasks: number[] = [];
    for (let kills = 0; kills < 4; kills++) {
      const workers = await place.startWorkers();
      // Each where an agent of its own is: nobody is worth waiting for.
      const made = await Promise.all(
        Array.from({ length: 15 }, (_, index) => {
          const longitude = (kills * 15 + index) / 1_113;
          return place.createTask({ location: { address: 'There', latitude: 0.001, longitude } });
        }),
      );
      tasks.push(...made.map(({ id }) => id));
      // Some of them have been proposed by then.
      await place.untilOffered(tasks.at(-15 + 3 * kills)!);
      await workers.kill();
    }
    await place.startWorkers();
    for (const id of tasks) {
      const request = await place.untilOffered(id);
      const { data: task } = (await place.api.get<TaskView>(`/tasks/${id}`)).body;
      assert.deepEqual([task.agentId, task.autoAssignmentStatus], [request.agentId, 'offered']);
      assert.equal((await place.requestsOf(id)).length, 1, `requests of task ${id}`);
    }
  } finally {
    await place.stop();
  }
});
